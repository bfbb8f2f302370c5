/** Patterns of credentials of a person or a program: such values of requests never enter a mock, nor a recording. */

const WORDS =
  'pass(?:word|wd|phrase|code)|pwd|secret|token|credential|authori[sz]|(?:api|access|private|subscription|functions|app|auth|master)[-_]?key|signature|session|cookie|jwt|csrf|xsrf|otp|saml(?:request|response)|assertion|code_?verifier';
const NAME = new RegExp(WORDS, 'i');
/** Names, and parts of names, that are too short to be searched for within others. */
const SHORT_NAME = /(?:^|[^a-z0-9])(?:auth|sig|sid|pin|pass)(?![a-z0-9])|^key(?:\[\])?$/i;
/** Where a list continues. */
const PAGE_TOKEN = /^(?:next|prev|previous|page|next[-_]?page|continuation|sync|start|starting)[-_]?token$/i;
/** Texts that precede a token: no part of a word, but for one that is an escape of URLs or JSON. */
const BEFORE_TOKEN = String.raw`(?:(?<![\w-])|(?<=%[\dA-Fa-f]{2})|(?<=\\[bfnrt])|(?<=\\u[\dA-Fa-f]{4}))`;
/** A JSON Web Token, wherever it stands. */
const WEB_TOKEN = new RegExp(String.raw`${BEFORE_TOKEN}eyJ[\w-]+\.[\w-]+\.`);
/** The value of an Authorization header. */
const AUTHORIZATION = /^(?:bearer|basic|digest) \S/i;
/** A name of a credential with its value, as queries, matrix parameters, JSON and programs write it. */
const NAMED = new RegExp(
  `(?:${WORDS})[\\w.\\-[\\]]{0,40}["']?\\s{0,9}(?:(?:=|%3D)\\s{0,9}[^\\s&;]|:\\s{0,9}\\\\?["'\\d])`,
  'i',
);

/** Placeholder of a credential in a recording. */
const PLACEHOLDER = /(?<![\w-])redacted-[0-9a-f]{8}(?![\w-])/;
export const REDACTED_VALUES = new RegExp(PLACEHOLDER, 'g');
/** Names of credentials that people type as digits. */
const TYPED = /pass(?:word|wd|code)|pwd|secret|otp|(?:^|[^a-z0-9])pin(?![a-z0-9])/i;

/** Whether a value was replaced when it was recorded: no client can send it, and it is nobody's secret. */
export function isRedacted(value: string): boolean {
  return PLACEHOLDER.test(value);
}

/** @param name Of a parameter, a field or a member. */
export function namesCredential(name: string): boolean {
  return ((NAME.test(name) || SHORT_NAME.test(name)) && !PAGE_TOKEN.test(name)) || isCredential(name);
}

/** Whether a value is one, or holds one. */
export function isCredential(value: string): boolean {
  return WEB_TOKEN.test(value) || AUTHORIZATION.test(value) || NAMED.test(value) || PLACEHOLDER.test(value);
}

/** Whether a number of this name is one: counts of tokens and ages of sessions have such names, too. */
export function namesTypedCredential(name: string): boolean {
  return TYPED.test(name);
}

/** A JSON Web Token with all of its parts. */
export const WEB_TOKENS = new RegExp(String.raw`${BEFORE_TOKEN}eyJ[\w-]+\.[\w-]+(?:\.[\w-]*)+`, 'g');

/** For a text without names of its own: whether it mentions a credential. */
export function mentionsCredential(text: string): boolean {
  return NAME.test(text) || WEB_TOKEN.test(text);
}

/** Members of a JSON text whose names are those of credentials, and that have a value. */
export function credentialsIn(json: unknown): number {
  let count = 0;
  // It may be nested deeper than calls may be.
  const left = [json];
  while (left.length > 0) {
    const holder = left.pop();
    if (typeof holder !== 'object' || holder === null) continue;
    for (const [name, value] of Object.entries(holder) as [string, unknown][]) {
      if (typeof value !== 'string') left.push(value);
      else if (value !== '' && !isRedacted(value) && (namesCredential(name) || isCredential(value))) count++;
    }
  }
  return count;
}
