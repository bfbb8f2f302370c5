/** Completes helpers and common blocks of templates after `{{`: docs/templates.md. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { SIGNATURES, type Signature } from '../../languages/templates/signatures.ts';

/** The text after the opening braces. */
export const BLOCKS: readonly string[] = [
  "#if (body 'a')}}…{{else}}…{{/if}}",
  "#each (body 'a')}}…{{/each}}",
  '#repeat 3}}…{{/repeat}}',
];

const COMPLETIONS: readonly Completion[] = [
  ...Object.entries<Signature>(SIGNATURES).map(([label, { example }]): Completion => ({
    label,
    apply: applied(`${example}}}`),
  })),
  ...BLOCKS.map((insert): Completion => ({ label: insert.split(' ', 1)[0] as string, apply: applied(insert) })),
];

/** Existing closing braces are not doubled. */
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
