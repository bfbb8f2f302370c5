/** Conditions on the listed requests, kept in the address. */
import { useEffect, useState } from 'preact/hooks';
import { isBlankRule } from '../mocks/routes/new-route.ts';
import { RECORDED_TARGET_CHOICES, ruleText } from '../mocks/routes/route-words.ts';
import { ConditionList, isCondition } from '../mocks/routes/rules-field.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { refine } from '../state/place.ts';
import { rulesOf, textOfRules } from '../verify/expectation.ts';

/** As for other text filters. */
const PAUSE_MS = 250;

/** A live stream does not know path parameters. */
const TARGETS = RECORDED_TARGET_CHOICES.filter(([target]) => target !== 'urlParam');

/** @param text From the address. */
export function TrafficConditions({ text }: { readonly text: string }): JSX.Element {
  const [rules, setRules] = useState(() => rulesOf(text));
  const asked = textOfRules(rules.filter((rule) => !isBlankRule(rule)));
  useEffect(() => {
    const timer = setTimeout(() => asked !== text && refine({ rules: asked === '' ? undefined : asked }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [asked]);
  // A link or "back" changed the address.
  useEffect(() => {
    if (text !== asked) setRules(rulesOf(text));
  }, [text]);
  return (
    <details class="traffic-conditions">
      <summary>
        Conditions{rules.length === 0 ? '' : ': '}
        <SafeLine
          text={rules
            .filter(isCondition)
            .map((rule) => ruleText(rule))
            .join(', ')}
          max={120}
        />
      </summary>
      <ConditionList
        rules={rules}
        targets={TARGETS}
        canEdit
        title="h2"
        errorAt={() => undefined}
        onChange={setRules}
        hint={<span class="hint">Lists requests that match all conditions.</span>}
      />
    </details>
  );
}
