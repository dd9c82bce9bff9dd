@_exported import Travertine
