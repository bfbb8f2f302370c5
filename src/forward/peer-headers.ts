/**
 * The token by which the ports of this process know a request that its internal port passes on: the head and body are in
 * its body (envelope.ts). Made at each start, and known to this process and its data plane alone.
 */
export const FORWARDED_HEADER = 'x-switchyard-forwarded';

/** Where the internal port takes connections for the gateway of its node, and what they are upgraded to. */
export const GATEWAY_PATH = '/gateway';
export const GATEWAY_PROTOCOL = 'switchyard-gateway';

/**
 * In requests on such a connection: what the node that received them knows and their other lines do not say
 * (egress/listeners/at-home.ts).
 */
export const RECEIVED_HEADER = 'x-switchyard-received';

/** In the reply to such a request: the mock is not served here. The value is the token, which no mock can know. */
export const MOVED_HEADER = 'x-switchyard-moved';
/** The same for bytes that are not an HTTP message: the client gets the body in place of a reply. */
export const RAW_HEADER = 'x-switchyard-raw';
