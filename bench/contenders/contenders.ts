/** Every contender, in the order of the report. */
import type { Contender } from './contender.ts';
import { guarded, raw } from './raw.ts';
import { switchyard, switchyardUnrecorded } from './switchyard.ts';

export const CONTENDERS: readonly Contender[] = [raw, guarded, switchyard, switchyardUnrecorded];
