/** One rule: its form, its state, and a test of it. What is typed is saved by a button or Ctrl+S. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RuleRecord } from '../../client/shapes.ts';
import { useDraft } from '../state/draft.ts';
import { failureOf } from '../state/failure.ts';
import { Button } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { Shown } from '../parts/states.tsx';
import { go, hrefOf } from '../state/place.ts';
import { useResource, type Resource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { tell } from '../state/toasts.ts';
import { visibleLine } from '../state/visible-text.ts';
import { useWrite } from '../state/write.ts';
import { deleteRules } from './common/delete-rules.ts';
import { ConflictDialog } from './edit/conflict-dialog.tsx';
import { conflictsOf, differing, editedOf, patchOf, rebased, type Edit, type Member } from './edit/edited-rule.ts';
import { focusError } from './common/form-errors.ts';
import { FormFailure } from './edit/form-failure.tsx';
import { RuleFields } from './edit/rule-fields.tsx';
import { TestPanel, type TestRequest } from './tester/test-panel.tsx';
import { testDraftOf } from './common/new-rule-drafts.ts';
import { FORMS } from './forms/forms.ts';
import { useGroups, type Groups } from './common/groups.ts';
import { RuleState } from './common/rule-state.tsx';

const ATTEMPTS_MAX = 5;

export function RuleScreen({ ruleId }: { readonly ruleId: string }): JSX.Element {
  const rule = useResource(() => api().rules.get(ruleId), [ruleId], {
    // Its group decides whether it acts. Of large changes not every id is told.
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
    // The list is left by then, or shows it as a change.
    if (await deleteRules(write, [record], groups, () => undefined)) return go(['rules']);
    const failure = write.failure.value;
    if (failure !== undefined) tell(`Deleting failed: ${failure.message}`);
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
  const draft = useDraft<Edit>(`rule.${record.id}`);
  const tested = useDraft<TestRequest>(testDraftOf(`rule.${record.id}`), false);
  const write = useWrite();
  const [conflict, setConflict] = useState<readonly Member[]>();
  const stored = editedOf(record);
  const edit = draft.value.value ?? { base: stored, mine: stored };
  const isEdited = draft.value.value !== undefined && differing(edit.base, edit.mine).length > 0;
  const shown = isEdited ? edit.mine : stored;

  /** Repeats silently when others have changed other members, or only other records. */
  const save = async (first: Edit): Promise<void> => {
    if (differing(first.base, first.mine).length === 0) return;
    const saved = await write.run(async () => {
      let known = rule.state.value.value ?? record;
      let attempt = first;
      for (let attempts = 1; ; attempts++) {
        const theirs = editedOf(known);
        const members = conflictsOf(attempt, theirs);
        if (members.length > 0) return setConflict(members);
        attempt = rebased(attempt, theirs, []);
        if (differing(attempt.base, attempt.mine).length === 0) return known;
        try {
          return await api().rules.patch(record.id, patchOf(attempt), { ifMatch: known });
        } catch (error) {
          if (failureOf(error).status !== 412 || attempts === ATTEMPTS_MAX) throw error;
          known = await api().rules.get(record.id);
          rule.replace(known);
        }
      }
    });
    if (saved === undefined) return write.failure.value === undefined ? undefined : focusError();
    rule.replace(saved);
    draft.discard();
    tell(`Saved “${visibleLine(saved.name, 60)}”.`);
  };
  useShortcuts([{ keys: 'Ctrl+s', label: 'Save the rule', run: () => void save(edit) }]);

  const failure = write.failure.value;
  const isReadOnly = !mayEdit.value;
  return (
    <div class="rules-editor">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save(edit);
        }}
      >
        <p class="muted">
          <strong>{FORMS[record.ruleType].title}</strong>: {FORMS[record.ruleType].explanation}
        </p>
        {record.status === 'Active' && record.effectiveStatus === 'Inactive' && (
          <p class="warning">The rule is on, but its group is off: it does nothing.</p>
        )}
        {draft.isFound && isEdited && (
          <p class="bar" role="status">
            What you typed before is still here, and not saved.
          </p>
        )}
        <RuleFields
          ruleType={record.ruleType}
          value={shown}
          onChange={(mine) => {
            draft.value.value = differing(edit.base, mine).length === 0 ? undefined : { base: edit.base, mine };
          }}
          groups={groups}
          failure={failure}
          warnings={isEdited ? undefined : record.warnings}
          isReadOnly={isReadOnly}
        />
        {!isReadOnly && (
          <div class="rules-save">
            {failure !== undefined && (
              <FormFailure failure={failure} what="Saving the rule" onRetry={() => void save(edit)} />
            )}
            <Button type="submit" kind="primary" busy={write.isRunning.value} disabled={!isEdited}>
              Save
            </Button>
            {isEdited && (
              <Button
                onClick={() => {
                  draft.discard();
                  write.clear();
                }}
              >
                Discard changes
              </Button>
            )}
            <span class="muted" role="status">
              {isEdited ? 'Not saved yet' : 'Saved'}
            </span>
          </div>
        )}
      </form>
      <TestPanel ruleType={record.ruleType} rule={shown} draft={tested} />
      {conflict !== undefined && (
        <ConflictDialog
          members={conflict}
          mine={edit.mine}
          theirs={stored}
          by={visibleLine(record.lastModifiedBy)}
          groups={groups}
          onClose={() => setConflict(undefined)}
          onResolve={(kept) => {
            setConflict(undefined);
            const next = rebased(edit, stored, kept);
            draft.value.value = next;
            if (differing(next.base, next.mine).length === 0) draft.discard();
            else void save(next);
          }}
        />
      )}
    </div>
  );
}
