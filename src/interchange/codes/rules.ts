/** The codes of files of rules. */
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const RULES_CODES = {
  'rules.bookkeeping': exact('Dates, users and marks of the editor have no effect'),
  'rules.refused': dropped('The record is refused, as by POST', 'Change what the message names, and import again'),
  'rules.limit': dropped(
    'A limit of the owner is reached',
    'Delete rules that are not used, or ask the operator for a higher limit',
  ),
  'rules.skipped': dropped(
    'The owner has a record of this id, which is left as it is',
    'Import with `onConflict` `overwrite` to replace it, or `duplicate` to keep both',
  ),
  'rules.inactive': approximated(
    'The record is active in the file, and imported as inactive',
    'Switch it on, or import with `activate`',
  ),
  'rules.new-id': approximated(
    'The owner has no record of this id: it is stored under a new one',
    'Nothing to do, unless something refers to the old id',
  ),
  'rules.repeated-id': approximated(
    'An earlier record of the file has this id: it is stored under a new one',
    'Remove one of the two from the file, if they are the same',
  ),
  'rules.pattern': approximated(
    'A pattern cannot be matched in linear time, and has no effect',
    'Write it without look-around and back references, for example as two rules',
  ),
  'rules.ungrouped': approximated(
    'The group of the rule is not imported: the rule is in none',
    'Add the group to the file, or move the rule into a group afterwards',
  ),

  'requestly.script': dropped(
    'Rules that run scripts in pages are not known',
    'Keep the rule in Requestly, or write what it does as rules of other types',
  ),
  'requestly.record': droppedPart('This is neither a rule nor a group', 'Remove it from the file'),
  'requestly.cookies': approximated(
    'Cookies are not sent along to the new address',
    'Set them with a rule of the type Headers',
  ),
} as const satisfies Record<string, CodeFacts>;
