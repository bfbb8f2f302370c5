/** One rule: its form, its state, and a test. A button or Ctrl+S saves. */
import type { RulePatch, RuleRecord } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { ConflictDialog } from '../parts/edit-state.tsx';
import { Page } from '../parts/page.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { Shown } from '../parts/states.tsx';
import { useDraft } from '../state/draft.ts';
import { useEdit } from '../state/edit.ts';
import { differing } from '../state/merge.ts';
import { navigate, hrefOf } from '../state/place.ts';
import { useResource, type Resource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { notify } from '../state/toasts.ts';
import { visibleLine } from '../state/visible-text.ts';
import { useWrite } from '../state/write.ts';
import { deleteRules } from './common/delete-rules.ts';
import { testDraftOf } from './common/drafts.ts';
import { useGroups, type Groups } from './common/groups.ts';
import { HitsOfRule } from './common/rule-hits.tsx';
import { RuleState } from './common/rule-state.tsx';
import { RuleForm } from './edit/rule-fields.tsx';
import type { TestRequest } from './tester/test-panel.tsx';
import { FORMS } from './forms/forms.ts';
import { editedOf, type EditedRule } from './forms/rule-form.ts';

export function RuleScreen({ ruleId }: { readonly ruleId: string }): JSX.Element {
  const rule = useResource(() => api().rules.get(ruleId), [ruleId], {
    // Its group decides whether it is active. A large change does not list every id.
    whenChanged: ({ command, recordIds, recordCount }) =>
      recordIds.includes(ruleId) || recordCount > recordIds.length || command.startsWith('group.')
        ? 'reload'
        : undefined,
  });
  const groups = useGroups();
  const record = rule.state.value.value;
  const trail = [{ label: 'Rules', href: hrefOf(['rules']) }];
  return (
    <Page
      title={record === undefined ? 'Rule' : visibleLine(record.name)}
      screen={`rule ${ruleId}`}
      trail={trail}
      heading={
        record && (
          <>
            <SafeLine text={record.name} /> <RuleState {...record} />
          </>
        )
      }
      actions={record && mayEdit.value && <RuleActions record={record} groups={groups.state.value.value ?? []} />}
    >
      <Shown of={rule} what="the rule">
        {(loaded) => <RuleEditor rule={rule} record={loaded} groups={groups.state.value.value ?? []} />}
      </Shown>
    </Page>
  );
}

function RuleActions({ record, groups }: { readonly record: RuleRecord; readonly groups: Groups }): JSX.Element {
  const write = useWrite();
  const remove = async (): Promise<void> => {
    // The list is unmounted by then, or receives the change.
    if (await deleteRules(write, [record], groups, () => undefined)) return navigate(['rules']);
    const failure = write.failure.value;
    if (failure !== undefined) notify(`Deleting failed: ${failure.message}`);
  };
  return (
    <>
      <a class="button plain" href={hrefOf(['history'], { record: record.id })}>
        History
      </a>
      <a class="button plain" href={hrefOf(['rules', 'new'], { copy: record.id })}>
        Duplicate
      </a>
      <Button kind="danger" busy={write.isRunning.value} onClick={() => void remove()}>
        Delete
      </Button>
    </>
  );
}

interface RuleEditorProps {
  readonly rule: Resource<RuleRecord>;
  readonly record: RuleRecord;
  readonly groups: Groups;
}

function RuleEditor({ rule, record, groups }: RuleEditorProps): JSX.Element {
  const tested = useDraft<TestRequest>(testDraftOf(`rule.${record.id}`), false);
  const edit = useEdit({
    name: `rule.${record.id}`,
    known: record,
    toEditable: editedOf,
    write: (mine, known) => api().rules.patch(record.id, patchOf(editedOf(known), mine), { ifMatch: known }),
    read: () => api().rules.get(record.id),
    onKnown: (now) => rule.replace(now),
    onSaved: (saved) => notify(`Saved “${visibleLine(saved.name, 60)}”.`),
  });
  const { shown, isDirty } = edit;
  const { ruleType, status, effectiveStatus, warnings } = record;
  const wordsOf = (member: string, value: unknown): string | undefined => {
    if (member === 'groupId') return groups.find(({ id }) => id === value)?.name ?? 'No group';
    return member === 'status' ? (value === 'Active' ? 'on' : 'off') : undefined;
  };
  return (
    <>
      <RuleForm
        intro={
          <>
            <p class="muted">
              <strong>{FORMS[ruleType].title}</strong>: {FORMS[ruleType].explanation}
            </p>
            <HitsOfRule ruleId={record.id} />
            {status === 'Active' && effectiveStatus === 'Inactive' && (
              <p class="warning">Inactive: its group is off.</p>
            )}
            {effectiveStatus === 'Unsupported' && <p class="warning">It cannot act here: see its warnings.</p>}
          </>
        }
        isFound={edit.isFound}
        ruleType={ruleType}
        value={shown}
        onChange={edit.change}
        groups={groups}
        failure={edit.failure}
        warnings={isDirty ? undefined : warnings}
        isReadOnly={!mayEdit.value}
        what="Saving the rule"
        onSave={() => void edit.save()}
        tested={tested}
      >
        <Button type="submit" kind="primary" busy={edit.isSaving} disabled={!isDirty}>
          Save
        </Button>
        {isDirty && <Button onClick={edit.drop}>Discard changes</Button>}
        <span class="muted" role="status">
          {isDirty ? 'Unsaved changes' : 'Saved'}
        </span>
      </RuleForm>
      <ConflictDialog edit={edit} of="this rule" verb="Save" labelOf={(name) => LABELS[name] ?? name} wordsOf={wordsOf}>
        {visibleLine(record.lastModifiedBy)} saved it after you started.
      </ConflictDialog>
    </>
  );
}

const LABELS: Readonly<Record<string, string>> = {
  name: 'Name',
  description: 'Description',
  status: 'On or off',
  groupId: 'Group',
  pairs: 'Pairs',
};

/** The changed members, for PATCH. */
const patchOf = (known: EditedRule, mine: EditedRule): RulePatch =>
  Object.fromEntries(differing(known, mine).map((member) => [member, mine[member]])) as RulePatch;
