/** The codes of files of rules. */
import { approximated, dropped, droppedPart, exact, type CodeFacts } from './facts.ts';

export const RULES_CODES = {
  'rules.bookkeeping': exact('Dates, users and editor state have no effect'),
  'rules.refused': dropped('The record is invalid', 'Fix the problem in the message, and import again'),
  'rules.limit': dropped(
    'A limit of the owner is reached',
    'Delete rules that are not used, or ask the operator for a higher limit',
  ),
  'rules.skipped': dropped(
    'The owner already has a record with this id, which is kept',
    'Import with `onConflict` `overwrite` to replace it, or `duplicate` to keep both',
  ),
  'rules.inactive': approximated(
    'The record is active in the file, but imported as inactive',
    'Activate it, or import again with `activate`, which overwrites the record',
  ),
  'rules.new-id': approximated(
    'The id is taken, or not valid here: the record gets a new one',
    'Nothing to do, unless something refers to the old id',
  ),
  'rules.repeated-id': approximated(
    'An earlier record of the file has the same id: the record gets a new one',
    'Remove one of them from the file if they are duplicates',
  ),
  'rules.pattern': approximated(
    'A pair cannot act here, so it stays off',
    'Change what the entry names; patterns cannot have look-around, back-references or set operations',
  ),
  'rules.code-off': approximated(
    'A program does not run on this server, so the pair cannot act',
    'Start the server with --rule-code',
  ),
  'rules.files-off': approximated(
    'This server serves no files, so the pair cannot act',
    'Start the server with --rule-files <folder>',
  ),
  'rules.ungrouped': approximated(
    'The group of the rule is not imported: the rule is ungrouped',
    'Add the group to the file, or assign a group afterwards',
  ),

  'requestly.script': approximated(
    'The scripts become a Response rule with a program that inserts them into pages of up to 1 MB',
    'Start the server with --rule-code',
  ),
  'requestly.no-scripts': dropped(
    'The rule inserts scripts into pages, but has none, or one of an unknown type',
    'Add a script of the type `js` or `css`, with its code or its URL as `value`',
  ),
  'requestly.local-file': approximated(
    'The Response rule serves a file: it becomes a Redirect to that file, with status 200',
    'Start the server with --rule-files <folder>; use a static Response rule for another status',
  ),
  'requestly.function': approximated(
    'A function is not called here, so it stays text',
    'Write the value itself, or make the body with code',
  ),
  'requestly.record': droppedPart('This is neither a rule nor a group', 'Remove it from the file'),
  'requestly.cookies': approximated('Cookies are not sent to the new URL', 'Set them with a rule of the type Headers'),
} as const satisfies Record<string, CodeFacts>;
