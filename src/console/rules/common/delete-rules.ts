/** Deletes rules, with an undo that restores them as new rules with new ids. */
import type { RuleRecord } from '../../../client/shapes.ts';
import { api } from '../../state/session.ts';
import { notify } from '../../state/toasts.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { newIdempotencyKey, type Write } from '../../state/write.ts';
import type { Groups } from './groups.ts';

/**
 * @param onBack Called after an undo.
 * @returns Whether they were deleted. If not, `write` has the failure.
 */
export async function deleteRules(
  write: Write,
  rules: readonly RuleRecord[],
  groups: Groups,
  onBack: () => void,
): Promise<boolean> {
  const ids = rules.map(({ id }) => id);
  const options = { idempotencyKey: newIdempotencyKey() };
  const answer = await write.run(() => api().rules.batch({ ids, delete: true }, options));
  if (answer === undefined) return false;
  const what = rules.length === 1 ? `“${visibleLine(rules[0]?.name ?? '', 60)}”` : `${rules.length} rules`;
  notify(`Deleted ${what}.`, {
    label: rules.length === 1 ? 'Undo' : 'Undo',
    run: () => void putBack(write, rules, groups).then(onBack),
  });
  return true;
}

/** One atomic import. The file contains the groups, so that rules find them; existing groups stay unchanged. */
async function putBack(write: Write, rules: readonly RuleRecord[], groups: Groups): Promise<void> {
  const groupIds = new Set(rules.map(({ groupId }) => groupId));
  const file = { switchyard: 1, kind: 'rules', rules, groups: groups.filter(({ id }) => groupIds.has(id)) };
  const options = { onConflict: 'skip', activate: true, atomic: true, idempotencyKey: newIdempotencyKey() } as const;
  const answer = await write.run(() => api().rules.import(file, options));
  const refused = answer?.records.find(({ result }) => result === 'refused');
  const why = write.failure.value?.message ?? refused?.details?.[0]?.message;
  if (answer === undefined || refused !== undefined) notify(`Undo failed: ${why ?? 'the server refused it'}`);
  else notify(`Restored ${rules.length === 1 ? 'it as a new rule' : `${rules.length} rules as new rules`}.`);
}
