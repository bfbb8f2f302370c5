/** Headers that frame one message or control one connection (RFC 9110, 7.6.1): each sender writes its own. */
export const HOP_HEADERS = ['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade'] as const;

/** Others that end at a server that passes a message on, beside those that `connection` names and all that begin with `proxy-`. */
export const PASSED_ON_HOP_HEADERS = [...HOP_HEADERS, 'expect', 'te', 'trailer'] as const;
