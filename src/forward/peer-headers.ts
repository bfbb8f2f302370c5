/**
 * The token by which the ports of this process know a request that its internal port passes on: the head and body are in
 * its body (envelope.ts). Made at each start, and known to this process and its data plane alone.
 */
export const FORWARDED_HEADER = 'x-switchyard-forwarded';

/** The reply to such a request when the mock is not served here: its value is the token, which no mock can know. */
export const MOVED_HEADER = 'x-switchyard-moved';
