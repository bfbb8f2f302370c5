/** The screens below `#/rules`. */
import { NewRuleScreen } from './new-rule-screen.tsx';
import { RuleScreen } from './rule-screen.tsx';
import { RulesScreen } from './rules-screen.tsx';
import { TesterScreen } from './tester/tester-screen.tsx';

export function RulesScreens({ path }: { readonly path: readonly string[] }): JSX.Element {
  const [first] = path;
  if (first === undefined) return <RulesScreen />;
  if (first === 'bench') return <TesterScreen />;
  if (first === 'new') return <NewRuleScreen />;
  return <RuleScreen key={first} ruleId={first} />;
}
