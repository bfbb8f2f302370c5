/** Every contender, in the order of the report. */
import type { Contender } from './contender.ts';
import { mockoon } from './mockoon.ts';
import { nginx } from './nginx.ts';
import { defensive, raw } from './raw.ts';
import { switchyard, switchyardUnrecorded } from './switchyard.ts';
import { wiremock } from './wiremock.ts';

export const CONTENDERS: readonly Contender[] = [
  raw,
  defensive,
  switchyard,
  switchyardUnrecorded,
  nginx,
  wiremock,
  mockoon,
];
