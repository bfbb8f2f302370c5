/** Kinds of faults as numbers: in recorded requests, whose bytes hold one. Only while the data plane runs: nothing stores them. */
import { type FaultKind } from '../definition/definition.ts';
import { FAULT_KINDS } from './behaviour-schema.ts';

/** In the place of a fault, which excludes it: the request was sent on to an upstream. */
export const PROXIED_CODE = 31;

/** @returns From 1; 0 stands for none. */
export function codeOfFault(kind: FaultKind): number {
  return 1 + FAULT_KINDS.indexOf(kind);
}

/** @returns undefined for 0. */
export function faultOfCode(code: number): FaultKind | undefined {
  return FAULT_KINDS[code - 1];
}
