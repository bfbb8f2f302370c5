/** Headers that frame one message or control one connection (RFC 9110, 7.6.1): each sender writes its own. */
export const HOP_HEADERS = ['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade'] as const;
