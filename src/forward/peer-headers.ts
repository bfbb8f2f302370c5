/**
 * The token by which the ports of this process know a request that its internal port passes on: the head and body are in
 * its body (envelope.ts). Made at each start, and known to this process and its data plane alone.
 */
export const FORWARDED_HEADER = 'x-switchyard-forwarded';

/** Of the reply to such a request; the value is the token, which no mock can know. The mock is not served here. */
export const MOVED_HEADER = 'x-switchyard-moved';
/** The same, of bytes that are no HTTP message: the body is what the client gets in place of a reply. */
export const RAW_HEADER = 'x-switchyard-raw';
