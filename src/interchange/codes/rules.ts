/** The codes of files of rules. */
import { approximated, dropped, exact, type CodeFacts } from './facts.ts';

export const RULES_CODES = {
  'rules.bookkeeping': exact('Dates, users and marks of the editor have no effect'),
  'rules.refused': dropped('The record is refused, as by POST'),
  'rules.limit': dropped('A limit of the owner is reached'),
  'rules.skipped': dropped('The owner has a record of this id, which is left as it is'),
  'rules.inactive': approximated('The record is active in the file, and imported as inactive'),
  'rules.new-id': approximated('The owner has no record of this id: it is stored under a new one'),
  'rules.repeated-id': approximated('An earlier record of the file has this id: it is stored under a new one'),
  'rules.pattern': approximated('A pattern cannot be matched in linear time, and has no effect'),
  'rules.ungrouped': approximated('The group of the rule is not imported: the rule is in none'),

  'requestly.script': dropped('Rules that run scripts in pages are not known'),
  'requestly.record': dropped('This is neither a rule nor a group'),
  'requestly.cookies': approximated('Cookies are not sent along to the new address'),
} as const satisfies Record<string, CodeFacts>;
