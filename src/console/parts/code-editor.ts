/**
 * CodeMirror for bodies: JSON colours, marked templates, completed helpers. A chunk of its own.
 *
 * It lives in a shadow root, with constructed style sheets: the page's policy allows no other styles.
 */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { Compartment, EditorState, Prec, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';
import { helperCompletion } from './helper-completion.ts';

export interface CodeEditor {
  update(given: { readonly text: string; readonly readOnly: boolean; readonly templated: boolean }): void;
  focus(): void;
  destroy(): void;
}

interface CodeEditorOptions {
  readonly label: string;
  readonly text: string;
  readonly readOnly: boolean;
  readonly templated: boolean;
  readonly selection: readonly [number, number] | undefined;
  readonly onInput: (text: string) => void;
  readonly onLeave: () => void;
}

/** The page's tokens: light and dark follow automatically. */
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--monospace)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--raised)', border: 'none' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--good-ground)', outline: '1px solid var(--good)' },
  '.cm-name': { color: 'var(--accent)' },
  '.cm-string': { color: 'var(--good)' },
  '.cm-value': { color: 'var(--warn)' },
  '.cm-template, .cm-template *': { color: 'var(--warn)', backgroundColor: 'var(--warn-ground)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--surface)', border: '1px solid var(--line-strong)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--text)',
    backgroundColor: 'var(--accent-ground)',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginLeft: '1em' },
});

const readOnlyIf = (isReadOnly: boolean): Extension => [
  EditorState.readOnly.of(isReadOnly),
  EditorView.contentAttributes.of({ 'aria-readonly': String(isReadOnly) }),
];

/** Approximate: a parser would exceed the size limit of this chunk. */
const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b/g;
const marks = {
  name: Decoration.mark({ class: 'cm-name' }),
  string: Decoration.mark({ class: 'cm-string' }),
  value: Decoration.mark({ class: 'cm-value' }),
};
const jsonToken = new MatchDecorator({
  regexp: JSON_TOKEN,
  decoration: ([, string, colon]) =>
    string === undefined ? marks.value : colon === undefined ? marks.string : marks.name,
});

const templateTag = new MatchDecorator({
  regexp: /\{\{[^{}]{0,500}\}\}/g,
  decoration: Decoration.mark({ class: 'cm-template' }),
});

/** Decorates the visible lines. */
const marking = (decorator: MatchDecorator): Extension =>
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = decorator.createDeco(view);
      }
      update(update: ViewUpdate): void {
        this.decorations = decorator.updateDeco(update, this.decorations);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );

const templatesIf = (isTemplated: boolean): Extension =>
  isTemplated ? [Prec.high(marking(templateTag)), helperCompletion] : [];

export function createCodeEditor(host: HTMLElement, options: CodeEditorOptions): CodeEditor {
  const { label, text, selection, onInput, onLeave } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const readOnly = new Compartment();
  const templates = new Compartment();
  let isTemplated = options.templated;
  /** Whether the text comes from outside, which is not input. */
  let isGiven = false;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      ...(selection === undefined ? {} : { selection: { anchor: selection[0], head: selection[1] } }),
      extensions: [
        history(),
        lineNumbers(),
        highlightSpecialChars({ addSpecialChars: /[\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu }),
        bracketMatching(),
        marking(jsonToken),
        theme,
        // Ctrl+Enter belongs to the page.
        keymap.of([...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'), ...historyKeymap, indentWithTab]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-description': 'Escape, then Tab leaves the editor',
        }),
        readOnly.of(readOnlyIf(options.readOnly)),
        templates.of(templatesIf(isTemplated)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isGiven) onInput(update.state.doc.toString());
        }),
        EditorView.domEventHandlers({
          blur: onLeave,
          // Lets Tab leave the editor, and closes nothing.
          keydown: (event) => {
            if (event.key === 'Escape') event.stopPropagation();
          },
        }),
      ],
    }),
  });
  return {
    update(given) {
      const known = view.state.doc;
      const changes =
        known.length === given.text.length && known.toString() === given.text
          ? undefined
          : { from: 0, to: known.length, insert: given.text };
      isGiven = true;
      view.dispatch({
        ...(changes === undefined ? {} : { changes }),
        effects: [
          readOnly.reconfigure(readOnlyIf(given.readOnly)),
          ...(given.templated === isTemplated ? [] : [templates.reconfigure(templatesIf(given.templated))]),
        ],
      });
      isGiven = false;
      isTemplated = given.templated;
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
