/** Objects as WireMock prints and compares them: with spaces, without members that are null, and numbers as Java has them. */
import { spacedJson } from '../../base/spaced-json.ts';
import { javaNumber } from '../../languages/decimal-format.ts';
import { isNumber, numberText } from '../../languages/json-text.ts';

/** The text has several times as many characters as JSON without spaces. */
export function wiremockText(value: object): string {
  return spacedJson(value, (each) => {
    if (each === null) return undefined;
    if (typeof each === 'number') return javaNumber(each);
    return isNumber(each) ? numberText(each) : JSON.stringify(each);
  });
}
