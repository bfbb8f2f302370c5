/** The pairs of a rule: which requests match, and what happens to them. */
import { useRef, useState } from 'preact/hooks';
import { moved, MoveButtons, RemoveButton, ROWS_OPEN_MAX } from '../../parts/arrange.tsx';
import { Button, useReadOnly } from '../../parts/controls.tsx';
import { SafeBlock } from '../../parts/safe-text.tsx';
import { useShortcuts } from '../../state/shortcuts.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { ruleText } from '../common/rule-state.tsx';
import { FORMS } from '../forms/forms.ts';
import { otherMembers } from '../forms/pair-members.ts';
import type { Pair, RuleType } from '../forms/rule-form.ts';
import { EMPTY_SOURCE } from '../forms/source.ts';
import { SourceFields } from './source-fields.tsx';

interface PairListProps {
  readonly ruleType: RuleType;
  readonly pairs: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
  /** @param path Within the rule: "/pairs/0/source/value". */
  readonly errorOf: (path: string) => string | undefined;
  readonly hasErrorIn: (path: string) => boolean;
  readonly warningOf: (path: string) => string | undefined;
}

const SOURCE_MEMBERS = ['id', 'source/key', 'source/operator', 'source/value', 'source/filters'];

/** With a source even where it is optional: a rule for every request is rarely intended. */
export const emptyPair = (ruleType: RuleType, source: Pair = EMPTY_SOURCE): Pair => ({
  source,
  ...FORMS[ruleType].emptyPair,
});

export function PairList(props: PairListProps): JSX.Element {
  const { ruleType, pairs, onChange, errorOf, hasErrorIn, warningOf } = props;
  const isReadOnly = useReadOnly();
  const [opened, setOpened] = useState<number>();
  const list = useRef<HTMLDivElement>(null);
  const move = (from: number, to: number): void => {
    if (isReadOnly || to < 0 || to >= pairs.length) return;
    onChange(moved(pairs, from, to));
    if (opened !== undefined) setOpened(opened === from ? to : opened === to ? from : opened);
    focusPair(list.current, to);
  };
  const moveFocused = (event: KeyboardEvent, by: 1 | -1): void => {
    const index = indexOfPair(event.target);
    if (index !== undefined) move(index, index + by);
  };
  useShortcuts([
    { keys: 'Alt+ArrowUp', label: 'Move the pair up', run: (event) => moveFocused(event, -1) },
    { keys: 'Alt+ArrowDown', label: 'Move the pair down', run: (event) => moveFocused(event, 1) },
  ]);
  return (
    <div class="stack" ref={list}>
      {pairs.map((pair, index) => (
        <section
          key={typeof pair['id'] === 'string' ? pair['id'] : index}
          class="panel rules-pair"
          data-pair={index}
          tabIndex={-1}
          aria-label={`Pair ${index + 1}`}
        >
          <header class="spread">
            <h2>
              {pairs.length === 1
                ? 'When a request matches'
                : `Pair ${index + 1} of ${pairs.length}: when a request matches`}
            </h2>
            {!isReadOnly && pairs.length > 1 && (
              <span class="row">
                <MoveButtons
                  what={`pair ${index + 1}`}
                  index={index}
                  count={pairs.length}
                  onMove={(to) => move(index, to)}
                />
                <RemoveButton
                  what={`pair ${index + 1}`}
                  onClick={() => {
                    onChange(pairs.toSpliced(index, 1));
                    setOpened(undefined);
                    focusPair(list.current, Math.max(0, index - 1));
                  }}
                />
              </span>
            )}
          </header>
          {pairs.length <= ROWS_OPEN_MAX || opened === index || hasErrorIn(`/pairs/${index}`) ? (
            <PairFields
              ruleType={ruleType}
              pair={pair}
              onChange={(changed) => onChange(pairs.with(index, changed))}
              errorOf={(path) => errorOf(`/pairs/${index}${path}`)}
              warningOf={(path) => warningOf(`/pairs/${index}${path}`)}
            />
          ) : (
            <div class="row">
              <PairSummary ruleType={ruleType} pair={pair} />
              <Button
                kind="quiet"
                label={`Open pair ${index + 1}`}
                onClick={() => {
                  setOpened(index);
                  focusPair(list.current, index);
                }}
              >
                Open
              </Button>
            </div>
          )}
        </section>
      ))}
      {errorOf('/pairs') !== undefined && <p class="error">{errorOf('/pairs')}</p>}
      {!isReadOnly && (
        <div class="row">
          <Button
            onClick={() => {
              onChange([...pairs, emptyPair(ruleType)]);
              setOpened(pairs.length);
              focusPair(list.current, pairs.length);
            }}
          >
            Add a pair
          </Button>
          <span class="hint">For other requests, with their own effect.</span>
        </div>
      )}
    </div>
  );
}

function PairSummary({ ruleType, pair }: { readonly ruleType: RuleType; readonly pair: Pair }): JSX.Element {
  const { source, effect } = ruleText({ ruleType, pairs: [pair] });
  return (
    <span class="safe-line">
      {visibleLine(source)} → {visibleLine(effect)}
    </span>
  );
}

type PairFieldsProps = Omit<PairListProps, 'pairs' | 'onChange' | 'hasErrorIn'> & {
  readonly pair: Pair;
  readonly onChange: (pair: Pair) => void;
};

function PairFields({ ruleType, pair, warningOf, ...fields }: PairFieldsProps): JSX.Element {
  const { Fields, members, sourceIsOptional = false } = FORMS[ruleType];
  const others = otherMembers(pair, [...SOURCE_MEMBERS, ...members]);
  const warning = warningOf('');
  return (
    <>
      <SourceFields pair={pair} {...fields} isOptional={sourceIsOptional} />
      {warning !== undefined && <p class="warning">⚠ {warning}</p>}
      <h3>Then</h3>
      <Fields pair={pair} {...fields} />
      {fields.errorOf('') !== undefined && <p class="error">{fields.errorOf('')}</p>}
      {others !== undefined && (
        <details>
          <summary>Other members (read-only)</summary>
          <SafeBlock text={JSON.stringify(others, null, 2)} />
        </details>
      )}
    </>
  );
}

function indexOfPair(target: EventTarget | null): number | undefined {
  const pair = target instanceof Element ? target.closest<HTMLElement>('[data-pair]') : null;
  return pair === null ? undefined : Number(pair.dataset['pair']);
}

/** Once it is rendered. */
function focusPair(list: HTMLElement | null, index: number): void {
  requestAnimationFrame(() => list?.querySelector<HTMLElement>(`[data-pair="${index}"]`)?.focus());
}
