/** A new rule: first its type, then its form. Starts empty, from a source, as a copy, or from an exchange. */
import { useMemo, useState } from 'preact/hooks';
import type { RuleInput } from '../../client/shapes.ts';
import { draftRules } from '../../model/gateway/rule-drafts.ts';
import { Button } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { ASK_AN_EDITOR, READ_ONLY, Shown } from '../parts/states.tsx';
import { hasDraft, moveDraft, useDraft } from '../state/draft.ts';
import { navigate, hrefOf, place } from '../state/place.ts';
import { useResource, type Resource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { isSame } from '../state/merge.ts';
import { notify } from '../state/toasts.ts';
import { visibleLine } from '../state/visible-text.ts';
import { newIdempotencyKey, useWrite } from '../state/write.ts';
import { copyDraft, newRuleDraft, testDraftOf } from './common/drafts.ts';
import { useGroups } from './common/groups.ts';
import { RuleTypes } from './common/rule-state.tsx';
import { emptyPair } from './edit/pair-list.tsx';
import { RuleForm } from './edit/rule-fields.tsx';
import type { TestRequest } from './tester/test-panel.tsx';
import { FORMS, isRuleType } from './forms/forms.ts';
import { type RuleType, editedOf, type EditedRule } from './forms/rule-form.ts';
import { EMPTY_SOURCE } from './forms/source.ts';

const TRAIL = [{ label: 'Rules', href: hrefOf(['rules']) }];

export function NewRuleScreen(): JSX.Element {
  const { query } = place.value;
  const type = query.get('type');
  const copied = query.get('copy');
  if (!mayEdit.value) {
    return (
      <Page title="New rule" screen="new rule" trail={TRAIL}>
        <p>
          {READ_ONLY} {ASK_AN_EDITOR}
        </p>
      </Page>
    );
  }
  if (copied !== undefined) return <CopiedRule id={copied} />;
  if (!isRuleType(type)) {
    return (
      <Page title="New rule" screen="new rule" trail={TRAIL}>
        <p>Choose a type:</p>
        <RuleTypes group={query.get('group')} source={query.get('source')} />
      </Page>
    );
  }
  const exchange = query.get('exchange');
  if (exchange !== undefined) return <RuleOfExchange key={`${type} ${exchange}`} ruleType={type} id={exchange} />;
  const source = query.get('source');
  const start: EditedRule = {
    ...NOTHING,
    groupId: query.get('group') ?? '',
    pairs: [emptyPair(type, source === undefined ? EMPTY_SOURCE : sourceFor(source))],
  };
  return (
    <NewRule
      key={`${type} ${source ?? ''}`}
      ruleType={type}
      start={start}
      draftName={newRuleDraft({ type, group: query.get('group'), source })}
    />
  );
}

const NOTHING = { name: '', description: '', status: 'Active', groupId: '' } as const;

/** A URL without its query, which rules usually ignore; other text unchanged. */
function sourceFor(text: string): typeof EMPTY_SOURCE {
  const [value = ''] = text.split(/[?#]/);
  return { ...EMPTY_SOURCE, value };
}

function CopiedRule({ id }: { readonly id: string }): JSX.Element {
  const rule = useResource(() => api().rules.get(id), [id]);
  const record = rule.state.value.value;
  if (record !== undefined) {
    const copy = editedOf(record);
    // The server assigns ids to pairs.
    const pairs = copy.pairs.map((pair) => Object.fromEntries(Object.entries(pair).filter(([name]) => name !== 'id')));
    const start: EditedRule = { ...copy, name: `Copy of ${copy.name}`.slice(0, 1_000), pairs };
    return <NewRule ruleType={record.ruleType} start={start} draftName={copyDraft(id)} />;
  }
  return <Waiting of={rule} what="the rule to copy" />;
}

/** The exchange may be gone when the user returns to the draft. */
function RuleOfExchange({ ruleType, id }: { readonly ruleType: RuleType; readonly id: string }): JSX.Element {
  const draftName = newRuleDraft({ type: ruleType, exchange: id });
  const [isFound] = useState(() => hasDraft(draftName));
  const exchange = useResource(() => api().gateway.request(id), [id]);
  const record = exchange.state.value.value;
  const drafted = record && draftRules(record).find((draft) => draft.ruleType === ruleType);
  const empty = { name: '', pairs: [emptyPair(ruleType)] };
  const start = drafted ?? (isFound || record !== undefined ? empty : undefined);
  if (start === undefined) return <Waiting of={exchange} what="the exchange" />;
  const { name, pairs } = start;
  return <NewRule ruleType={ruleType} start={{ ...NOTHING, name, pairs }} draftName={draftName} />;
}

interface WaitingProps {
  readonly of: Pick<Resource<unknown>, 'state' | 'reload'>;
  readonly what: string;
}

const Waiting = ({ of, what }: WaitingProps): JSX.Element => (
  <Page title="New rule" screen="new rule" trail={TRAIL}>
    <Shown of={of} what={what}>
      {() => null}
    </Shown>
  </Page>
);

interface NewRuleProps {
  readonly ruleType: RuleType;
  readonly start: EditedRule;
  readonly draftName: string;
}

function NewRule({ ruleType, start, draftName }: NewRuleProps): JSX.Element {
  const groups = useGroups();
  const draft = useDraft<EditedRule>(draftName);
  const tested = useDraft<TestRequest>(testDraftOf(draftName), false);
  const write = useWrite();
  const rule = draft.value.value ?? start;
  const body = { ...rule, ruleType } as RuleInput;
  // The idempotency key makes a retry safe.
  const idempotencyKey = useMemo(newIdempotencyKey, [JSON.stringify(body)]);
  const create = async (): Promise<void> => {
    const made = await write.run(() => api().rules.create(body, { idempotencyKey }));
    if (made === undefined) return;
    draft.discard();
    moveDraft(tested, testDraftOf(`rule.${made.id}`));
    notify(`Created “${visibleLine(made.name, 60)}”.`);
    navigate(['rules', made.id]);
  };
  const { title, explanation } = FORMS[ruleType];
  return (
    <Page title={`New rule: ${title}`} screen={`new rule ${ruleType}`} trail={TRAIL}>
      <RuleForm
        intro={
          <p class="muted">
            {explanation} <a href={hrefOf(['rules', 'new'])}>Another type</a>
          </p>
        }
        isFound={draft.isFound && draft.value.value !== undefined}
        ruleType={ruleType}
        value={rule}
        onChange={(value) => (draft.value.value = isSame(value, start) ? undefined : value)}
        groups={groups.state.value.value ?? []}
        failure={write.failure.value}
        warnings={undefined}
        isReadOnly={false}
        what="Creating the rule"
        onSave={() => void create()}
        tested={tested}
      >
        <Button type="submit" kind="primary" busy={write.isRunning.value}>
          Create
        </Button>
        <Button
          onClick={() => {
            draft.discard();
            tested.discard();
            navigate(['rules']);
          }}
        >
          Cancel
        </Button>
      </RuleForm>
    </Page>
  );
}
