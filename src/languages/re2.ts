/** The engine of linear patterns, loaded with the first of them: most processes compile none. */
import type * as Re2 from 're2js';
import { loadPackage } from '../base/program-files.ts';

let loaded: typeof Re2 | undefined;

export function re2(): typeof Re2 {
  loaded ??= loadPackage('re2js') as typeof Re2;
  return loaded;
}
