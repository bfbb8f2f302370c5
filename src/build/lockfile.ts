/** Which packages of package-lock.json are held to no digest: npm takes whatever a registry sends for them. */
interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/**
 * The registry from which the lockfile was made lacks these. `npm run lock:platforms` adds their digests from one that has them,
 * and test/package.test.ts asks for the end of this list then.
 */
export const UNDIGESTED: readonly string[] = ['darwin-arm64', 'darwin-x64', 'linux-arm64'].flatMap((system) => [
  `@uwsjs/${system}-20@20.51.4`,
  `@uwsjs/${system}-22@20.51.4`,
  `@uwsjs/${system}-24@20.69.0`,
  `@uwsjs/${system}-26@20.69.0`,
]);

/** @returns The entries without a digest, as "name@version", each with the key of its entry. */
export function undigestedIn({ packages }: Lockfile): { readonly key: string; readonly spec: string }[] {
  return Object.entries(packages).flatMap(([key, { version, integrity }]) =>
    key === '' || integrity !== undefined ? [] : [{ key, spec: `${key.split('node_modules/').at(-1)}@${version}` }],
  );
}
