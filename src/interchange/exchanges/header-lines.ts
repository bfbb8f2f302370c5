/** The lines of headers that a mock can send; others are reported, with the codes of the format. */
import type { HeaderLine } from '../../model/mocks/definition/definition.ts';
import { headerProblem } from '../../model/mocks/definition/edit-checks.ts';
import { isServersOwn } from '../../model/mocks/definition/header-value.ts';
import { scalarText } from '../reading/members.ts';
import type { Item, ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';

interface HeaderReport {
  readonly format: 'har' | 'postman' | 'mockoon' | 'wiremock' | 'mountebank' | 'mockserver';
  readonly item: Item;
  readonly report: ReportWriter;
}

/**
 * @param values Texts, or their places in the file.
 * @param source What is reported of a text that is refused; without it, the name.
 */
export function headerLines(
  name: string,
  values: readonly (string | Member)[],
  { format, item, report }: HeaderReport,
  source?: Member,
): HeaderLine[] {
  if (isServersOwn(name)) {
    report.count(`${format}.framing-headers`);
    return [];
  }
  return values.flatMap((given) => {
    const value = typeof given === 'string' ? given : scalarText(given.value);
    const problem = value === undefined ? 'it has no value' : headerProblem(name, value, []);
    if (problem === undefined && value !== undefined) return [{ name, value }];
    const place = typeof given === 'string' ? source : given;
    item.note(`${format}.header`, place, place === undefined ? `${name}: ${problem}` : problem);
    return [];
  });
}
