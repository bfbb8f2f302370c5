/** How conditions and templates read a body. A file of its own: the data plane's main thread needs no schemas. */

export const BODY_READINGS = ['json', 'form', 'text', 'none'] as const;
export type BodyReading = (typeof BODY_READINGS)[number];
