/** Helpers of what is kept: the number of the request, variables of the template and of the mock. */
import { asText, type Helpers } from '../helper.ts';
import { valueAt, valueAtPath } from '../values.ts';

export const STATE_HELPERS: Helpers<'requestNumber' | 'setVar' | 'var' | 'variable'> = {
  requestNumber:
    () =>
    ({ view }) =>
      view.requestNumber,
  /** Prints nothing. */
  setVar: ([name, value]) => {
    const variable = String(name?.literal?.value ?? '');
    return (run) => {
      (run.variables ??= new Map()).set(variable, value?.evaluate(run));
      return undefined;
    };
  },
  var:
    ([name]) =>
    (run) =>
      run.variables?.get(asText(run, name?.evaluate(run))),
  variable: ([name, fallback], _named, { variables }) => {
    const literal = name?.literal?.value;
    if (typeof literal === 'string') {
      const value = valueAt(variables, literal.split('.'));
      return (run) => value ?? fallback?.evaluate(run);
    }
    return (run) => valueAtPath(run, variables, name?.evaluate(run)) ?? fallback?.evaluate(run);
  },
};
