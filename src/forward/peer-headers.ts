/**
 * The token by which the ports of this process know a request that its internal port passes on: the head and body are in
 * its body (envelope.ts). Made at each start, and known to this process and its data plane alone.
 */
export const FORWARDED_HEADER = 'x-switchyard-forwarded';

/** In the reply to such a request: the mock is not served here. The value is the token, which no mock can know. */
export const MOVED_HEADER = 'x-switchyard-moved';
/** The same for bytes that are not an HTTP message: the client gets the body in place of a reply. */
export const RAW_HEADER = 'x-switchyard-raw';
