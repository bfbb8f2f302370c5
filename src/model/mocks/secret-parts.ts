/** Where requests carry credentials: of these nothing is repeated to those who need not know them. */

/** Targets of conditions. */
export const SECRET_TARGETS: ReadonlySet<string> = new Set(['basicAuth', 'jwt', 'cookie']);

const SECRET_HEADERS =
  /^(?:proxy-)?authorization$|^(?:set-)?cookie$|token|secret|password|(?:^|[-_])(?:api[-_]?)?key$/i;

/** By its name; so are parameters of queries. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADERS.test(name);
}
