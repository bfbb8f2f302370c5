/** Where the request of a test is kept, beside what is typed of its rule. */

/** @param of The name of the rule's own draft. */
export const testDraftOf = (of: string): string => `test.${of}`;
