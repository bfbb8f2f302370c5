/** The screens below `#/rules`. */
import type { JSX } from 'preact';
import { BenchScreen } from './bench-screen.tsx';
import { RulesScreen } from './rules-screen.tsx';

export function RulesScreens({ path }: { readonly path: readonly string[] }): JSX.Element {
  const [first] = path;
  if (first === 'bench') return <BenchScreen />;
  return <RulesScreen />;
}
