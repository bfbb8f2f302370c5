import type { Attacker } from './load.ts';
export function drawnAttacker(_seed: number): Attacker { throw new Error('none'); }
