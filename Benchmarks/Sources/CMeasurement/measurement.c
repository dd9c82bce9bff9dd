// A target of C needs a source; all there is stands in the header.
#include "CMeasurement.h"
