/** The same bytes as a Buffer: between threads and processes a Buffer loses its class. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
