/** Completes the helpers of templates after `{{`. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

/** What is inserted between the braces, and what it renders: docs/mocks.md, "Bodies and templates". */
export const HELPERS: Readonly<Record<string, readonly [insert: string, renders: string]>> = {
  urlParam: [`urlParam 'id'`, 'a parameter of the path'],
  queryParam: [`queryParam 'name' 'default'`, 'a parameter of the query'],
  header: [`header 'name'`, 'a header of the request'],
  cookie: [`cookie 'name'`, 'a cookie of the request'],
  body: [`body 'a.b'`, 'a value of the body'],
  method: ['method', 'the method'],
  path: ['path', 'the path'],
  now: ['now', 'the time'],
  uuid: ['uuid', 'a new UUID'],
  randomInt: ['randomInt 1 9', 'an integer'],
  faker: [`faker 'person.firstName'`, 'made-up data'],
  requestNumber: ['requestNumber', 'the number of this request to the route'],
};

const COMPLETIONS: readonly Completion[] = [
  ...Object.entries(HELPERS).map(([label, [insert, detail]]): Completion => ({
    label,
    detail,
    apply: applied(`${insert}}}`),
  })),
  { label: '#repeat', detail: 'the inner text several times', apply: applied(`#repeat 3 ','}}…{{/repeat}}`) },
];

/** Braces that stand behind already are not doubled. */
function applied(text: string): (view: EditorView, completion: Completion, from: number, to: number) => void {
  return (view, _completion, from, to) => {
    const isClosed = view.state.sliceDoc(to, to + 2) === '}}';
    view.dispatch({
      changes: { from, to: isClosed ? to + 2 : to, insert: text },
      selection: { anchor: from + text.length },
    });
  };
}

function complete(context: CompletionContext): CompletionResult | null {
  const opened = context.matchBefore(/\{\{\s*[#A-Za-z]*$/);
  if (opened === null) return null;
  const word = /[#A-Za-z]*$/.exec(opened.text)?.[0] ?? '';
  return { from: opened.to - word.length, options: COMPLETIONS, validFor: /^[#A-Za-z]*$/ };
}

export const helperCompletion: Extension = autocompletion({ override: [complete], icons: false });
