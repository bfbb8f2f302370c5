/** Decoding a rule as the store keeps it. */
import { deepEqual } from 'node:assert/strict';
import { decodeRule, encodeRule, newIntern } from '../../../src/store/codec/record-codec.ts';
import type { MicroCase } from '../micro-function.ts';
import { ruleAt } from '../rules-of-an-owner.ts';

export const UNIT = 'pairs';

export const SIZES = [1, 10, 100] as const;

export function prepare(size: number): MicroCase[] {
  const decode = (name: string, description: string): MicroCase => {
    const rule = { ...ruleAt(1, size), description };
    const bytes = encodeRule(rule);
    const intern = newIntern();
    return {
      name,
      run: () => decodeRule(bytes, intern),
      check: (decoded) => deepEqual(decoded, rule),
    };
  };
  return [
    decode('ASCII', 'Sends the checkout of the web shop to the staging cluster.'),
    decode('text outside ASCII', 'Schickt die Kasse des Gesch\u00e4fts in die Probe.'),
  ];
}
