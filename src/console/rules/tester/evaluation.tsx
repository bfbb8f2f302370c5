/** The rules that apply to a request, with each change, and the reasons of the others. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Evaluation, RuleRecord } from '../../../client/shapes.ts';
import { Button } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Facts } from '../../parts/section.tsx';
import { numberText } from '../../parts/words.ts';
import { hrefOf } from '../../state/place.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { useNamedRules } from '../common/named-rules.ts';
import { FORMS } from '../forms/forms.ts';
import { sourceText } from '../forms/source.ts';

type Step = Evaluation['steps'][number];
type Skipped = Evaluation['skipped'][number];

interface RuleProps<Of> {
  readonly of: Of;
  /** undefined until loaded, and for a deleted rule. */
  readonly rule: RuleRecord | undefined;
}

/** Per text: the server truncates too. */
const CHARS_MAX = 2_000;

const PHASES: Readonly<Record<Step['phase'], string>> = {
  cancel: 'blocks the request',
  url: 'changes the URL',
  requestHeaders: 'changes request headers',
  requestBody: 'changes the request body',
  delay: 'delays the request',
  response: 'changes the response',
  responseHeaders: 'changes response headers',
};

interface RuleListsProps {
  readonly of: Pick<Evaluation, 'steps' | 'skipped' | 'skippedCount'>;
  /** The version of the rules in `skipped`: another one reloads their names. */
  readonly version: number;
  readonly perPage: number;
  /** Around the rules that apply, and around the others. */
  readonly applied: (rules: JSX.Element) => ComponentChildren;
  readonly others: (rules: JSX.Element) => ComponentChildren;
}

/** The rules that apply step by step, and the others page by page. */
export function RuleLists({ of, version, perPage, applied, others }: RuleListsProps): JSX.Element {
  const { steps, skipped, skippedCount } = of;
  const [shownCount, setShownCount] = useState(perPage);
  const shown = skipped.slice(0, shownCount);
  const ids = [...steps, ...shown].map(({ ruleId }) => ruleId);
  const rules = useNamedRules(ids, version);
  return (
    <>
      {applied(
        <ol class="stack">
          {steps.map((step, index) => (
            <ActingRule key={index} of={step} rule={rules.get(step.ruleId)} />
          ))}
        </ol>,
      )}
      {skippedCount > 0 &&
        others(
          <>
            <ul class="stack">
              {shown.map((each, index) => (
                <SkippedRule key={index} of={each} rule={rules.get(each.ruleId)} />
              ))}
            </ul>
            <p class="row">
              {skipped.length > shownCount && (
                <Button onClick={() => setShownCount(shownCount + perPage)}>
                  Show {Math.min(perPage, skipped.length - shownCount)} more
                </Button>
              )}
              {skippedCount > shown.length && (
                <span class="muted">{numberText(skippedCount - shown.length)} more do not apply.</span>
              )}
            </p>
          </>,
        )}
    </>
  );
}

function ActingRule({ of, rule }: RuleProps<Step>): JSX.Element {
  const number = pairNumber(rule, of.pairId);
  return (
    <li class="stack">
      <p class="row tester-rule">
        {ACTS}
        <a href={hrefOf(['rules', of.ruleId])}>{visibleLine(of.name)}</a>
        <span class="muted">
          {rule !== undefined && `${FORMS[rule.ruleType].title} · `}
          {PHASES[of.phase]}
        </span>
      </p>
      {rule !== undefined && number > 0 && (
        <p>
          {rule.pairs.length > 1 && `Pair ${number}: `}
          <SafeLine text={sourceText(rule.pairs[number - 1]?.['source'])} max={500} />
        </p>
      )}
      <Changes of={of} />
    </li>
  );
}

function SkippedRule({ of, rule }: RuleProps<Skipped>): JSX.Element {
  const number = pairNumber(rule, of.pairId);
  return (
    <li class="stack">
      <p class="row tester-rule">
        <span class="badge">✕ does not apply</span>
        <a href={hrefOf(['rules', of.ruleId])}>{visibleLine(rule?.name ?? of.ruleId)}</a>
        <span class="muted">
          {rule !== undefined && rule.pairs.length > 1 && number > 0 && `pair ${number} `}
          {reasonText(of)}
        </span>
      </p>
      <WhyNot of={of} />
    </li>
  );
}

export function OneRule({ evaluation }: { readonly evaluation: Evaluation }): JSX.Element | null {
  const { steps, skipped } = evaluation;
  const [miss] = skipped;
  if (steps.length > 0) {
    return (
      <>
        <p>
          {ACTS} <Outcome evaluation={evaluation} />
        </p>
        {steps.map((step, index) => (
          <Changes key={index} of={step} />
        ))}
      </>
    );
  }
  if (miss === undefined) return null;
  return (
    <>
      <p>
        <span class="badge bad">✕ does not apply</span> It {reasonText(miss)}.
      </p>
      <WhyNot of={miss} />
    </>
  );
}

const ACTS = <span class="badge good">✓ applies</span>;

/** The position of a pair in its rule, from 1; 0 until known. */
const pairNumber = (rule: RuleRecord | undefined, pairId: string | undefined): number =>
  (rule?.pairs.findIndex(({ id }) => id === pairId) ?? -1) + 1;

const WHAT = { url: 'URL', header: 'Header', body: 'Body', status: 'Status' } as const;

const Changes = ({ of: { changed } }: { readonly of: Step }): JSX.Element => (
  <>
    {changed.map(({ what, before, after }, index) => (
      <dl key={index} class="facts monospace tester-change">
        <dt>{WHAT[what]}</dt>
        <Value text={before} as={(text) => <del>{text}</del>} />
        <Value text={after} as={(text) => <ins>{text}</ins>} />
      </dl>
    ))}
  </>
);

interface ValueProps {
  /** null: no message. */
  readonly text: string | null;
  readonly as: (text: ComponentChildren) => JSX.Element;
}

const Value = ({ text, as }: ValueProps): JSX.Element | null =>
  text === null ? null : <dd>{as(<SafeLine text={text} max={CHARS_MAX} />)}</dd>;

/** The expected value is obvious. */
const ACTUAL_ALONE: ReadonlySet<string> = new Set(['pattern', 'endedBefore']);

function WhyNot({ of: { reason, expected, actual } }: { readonly of: Skipped }): JSX.Element | null {
  if (reason.endsWith('Inactive') || (expected === undefined && actual === undefined)) return null;
  const isAlone = ACTUAL_ALONE.has(reason);
  const got = actual === undefined ? 'nothing' : <SafeLine text={actual} max={CHARS_MAX} />;
  return (
    <Facts
      class="monospace"
      rows={[
        ...(expected === undefined || isAlone
          ? []
          : [['expected', <SafeLine text={expected} max={CHARS_MAX} />] as const]),
        [isAlone ? 'it is' : 'got', got],
      ]}
    />
  );
}

/** The reasons of docs/api.md, completing "This rule …". */
const REASONS: Readonly<Record<string, string>> = {
  ruleInactive: 'is off',
  groupInactive: 'is in a group that is off',
  source: 'matches other URLs',
  'filter:requestMethod': 'matches other methods',
  'filter:resourceType': 'matches other resource types',
  'filter:pageDomains': 'matches pages of other domains',
  'filter:pageUrl': 'matches other pages',
  'filter:requestPayload': 'matches other request bodies',
  'filter:unknown': 'has a filter that does not exist',
  pattern: 'has an unsupported pattern: avoid look-around and back-references',
  noChange: 'matches, but changes nothing',
  noBody: 'matches, but there is no body to change',
  destinationInvalid: 'matches, but its destination is not a valid URL',
  filesOff: 'cannot act: start the server with --rule-files <folder>',
  fileUnreadable: 'serves a file that cannot be read',
  codeOff: 'contains a program, which does not run here: start the server with --rule-code',
  codeFailed: 'contains a program that failed',
  codeTooLong: 'contains a program that timed out',
  bodyEncoded: 'reads a body that is compressed',
  bodyTooLarge: 'reads a body that is too large',
  addressRefused: 'leads to an address that this server refuses',
  endedBefore: 'comes too late: an earlier rule ended the request',
};

export const reasonText = ({ reason }: Pick<Skipped, 'reason'>): string =>
  REASONS[reason] ?? `did not apply: ${reason}`;

export function Outcome({ evaluation }: { readonly evaluation: Evaluation }): JSX.Element {
  const { outcome, location, response, steps, delayMs } = evaluation;
  const words = {
    redirect: 'The client is redirected to ',
    blocked: `The request is blocked, with status ${response?.status}.`,
    served: `A rule responds with status ${response?.status}, without the upstream.`,
    forward: steps.length === 0 ? 'The request is unchanged.' : 'The request is sent.',
  };
  return (
    <span>
      {words[outcome]}
      {outcome === 'redirect' && <SafeLine text={location ?? ''} max={CHARS_MAX} />}
      {delayMs > 0 && ` It waits ${numberText(delayMs)} ms.`}
    </span>
  );
}
