import CPlatform

/// Whether the processor here has instructions for AES-256-GCM. Without them ChaCha20-Poly1305 is
/// faster, and its time does not depend on the data.
package let hasHardwareAES = travertine_has_aes_instructions() != 0
