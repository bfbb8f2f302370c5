/** What looks like a credential of a person or a program: such values of requests never enter a mock. */

const NAME =
  /pass(?:word|wd|phrase|code)|pwd|secret|token|credential|authori[sz]|api[-_]?key|access[-_]?key|private[-_]?key|signature|session|cookie|jwt|csrf|xsrf|otp/i;
/** Whole names that are too short to be searched for within others. */
const SHORT_NAME = /^(?:auth|key|sig|sid|pin|pass)$/i;
/** Where a list continues. */
const PAGE_TOKEN = /^(?:next|prev|previous|page|next[-_]?page|continuation|sync|start|starting)[-_]?token$/i;
/** A JSON Web Token, or the value of an Authorization header. */
const VALUE = /^(?:eyJ[\w-]+\.[\w-]+\.|(?:bearer|basic|digest) \S)/i;

/** @param name Of a parameter, a field or a member. */
export function namesCredential(name: string): boolean {
  return (NAME.test(name) || SHORT_NAME.test(name)) && !PAGE_TOKEN.test(name);
}

export function isCredential(value: string): boolean {
  return VALUE.test(value);
}

/** For a text without names of its own: whether it mentions a credential. */
export function mentionsCredential(text: string): boolean {
  return NAME.test(text) || /\beyJ[\w-]+\.[\w-]+\./.test(text);
}

/** Members of a JSON text whose names are those of credentials, and that have a value. */
export function credentialsIn(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 0;
  let count = 0;
  for (const [name, value] of Object.entries(json)) {
    if (typeof value === 'string' && value !== '' && (namesCredential(name) || isCredential(value))) count++;
    else count += credentialsIn(value);
  }
  return count;
}
