/** Completes the helpers and blocks of templates after `{{`: docs/templates.md. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { SIGNATURES, type Signature } from '../../languages/templates/signatures.ts';

/** Blocks, with what stands between their tags. */
export const BLOCKS: Readonly<Record<string, readonly [insert: string, detail: string]>> = {
  '#if': ["#if (eq (body 'kind') 'a')}}…{{else}}…{{/if}}", 'one text or another'],
  '#unless': ["#unless (body 'kind')}}…{{/unless}}", 'a text where something is missing'],
  '#each': ["#each (body 'items')}}{{this}}{{#unless @last}},{{/unless}}{{/each}}", 'a text for every item'],
  '#repeat': ["#repeat 3 ','}}…{{/repeat}}", 'a text several times'],
  '#with': ["#with (body 'user')}}{{name}}{{/with}}", 'a text about one value'],
  '#switch': [
    "#switch (body 'kind')}}{{#case 'a'}}…{{/case}}{{#default}}…{{/default}}{{/switch}}",
    'one of several texts',
  ],
  '#assign': ["#assign 'name'}}…{{/assign}}", 'a text that is kept'],
};

const COMPLETIONS: readonly Completion[] = [
  ...Object.entries<Signature>(SIGNATURES).map(([label, { group, example }]): Completion => ({
    label,
    detail: group,
    apply: applied(`${example}}}`),
  })),
  ...Object.entries(BLOCKS).map(([label, [insert, detail]]): Completion => ({ label, detail, apply: applied(insert) })),
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
