/** A rule that acts: for which of its pairs, and what it changes. */
import type { JSX } from 'preact';
import type { Evaluation, RuleRecord } from '../../../client/shapes.ts';
import { SafeLine } from '../../parts/safe-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { FORMS } from '../forms/forms.ts';
import { sourceText } from '../forms/source.ts';
import { pairOf } from './rules-named.ts';

interface ActingRuleProps {
  readonly step: Evaluation['steps'][number];
  /** undefined until it is read. */
  readonly rule: RuleRecord | undefined;
}

const PHASES: Readonly<Record<ActingRuleProps['step']['phase'], string>> = {
  cancel: 'blocks the request',
  url: 'changes the URL',
  requestHeaders: 'changes headers of the request',
  requestBody: 'changes the body of the request',
  delay: 'delays the request',
  response: 'changes the answer',
  responseHeaders: 'changes headers of the answer',
};

/** Characters of one text that are shown: the server cuts long ones too. */
const CHARS_MAX = 2_000;

export function ActingRule({ step, rule }: ActingRuleProps): JSX.Element {
  const { ruleId, name, phase, pairId, changed } = step;
  const found = pairOf(rule, pairId);
  return (
    <li>
      <p class="bench-rule">
        <span class="badge good">✓ acts</span>
        <a href={hrefOf(['rules', ruleId])}>{visibleLine(name)}</a>
        <span class="muted">
          {rule !== undefined && `${FORMS[rule.ruleType].title} · `}
          {PHASES[phase]}
        </span>
      </p>
      {found !== undefined && (
        <p>
          {rule !== undefined && rule.pairs.length > 1 && `Pair ${found.number}: `}
          <SafeLine text={sourceText(found.pair['source'])} max={500} />
        </p>
      )}
      {changed.map(({ what, before, after }, index) => (
        <dl key={index} class="rules-change">
          <dt>{WHAT[what]}</dt>
          {before !== null && (
            <dd>
              <del>
                <SafeLine text={before} max={CHARS_MAX} />
              </del>
            </dd>
          )}
          {after !== null && (
            <dd>
              <ins>
                <SafeLine text={after} max={CHARS_MAX} />
              </ins>
            </dd>
          )}
        </dl>
      ))}
    </li>
  );
}

const WHAT = { url: 'URL', header: 'Header', body: 'Body', status: 'Status' } as const;
