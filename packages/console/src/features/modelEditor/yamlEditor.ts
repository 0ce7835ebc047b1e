import { autocompletion, type CompletionContext, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Schemas } from '../../api.ts';
import { type SchemaNode, suggestionsAt } from './completions.ts';
import { placeOf } from './yamlPlace.ts';

export type YamlEditor = {
  /** Marks the lines of problems, and says what is wrong where the pointer or the cursor is. */
  mark(problems: readonly Schemas['ModelProblem'][], warnings: readonly Schemas['ModelProblem'][]): void;
  goTo(line: number): void;
  replace(text: string): void;
  close(): void;
};

/** In a shadow root, where its styles are objects: the policy of the page allows no style elements. */
export function openYamlEditor(args: {
  root: ShadowRoot;
  text: string;
  label: string;
  isReadOnly: boolean;
  onChange: (text: string) => void;
}): YamlEditor {
  const { root, text, label, isReadOnly, onChange } = args;
  const extensions = [
    lineNumbers(),
    highlightActiveLine(),
    history(),
    yaml(),
    indentOnInput(),
    syntaxHighlighting(colors),
    autocompletion({ override: [complete] }),
    keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.doc.toString());
    }),
    look,
  ];
  const view = new EditorView({ root, parent: root, state: EditorState.create({ doc: text, extensions }) });
  return {
    mark(problems, warnings) {
      const at = (severity: 'error' | 'warning') => (one: Schemas['ModelProblem']) => {
        const { from, to } = view.state.doc.line(Math.min(one.line ?? 1, view.state.doc.lines));
        return { from, to, severity, message: one.message };
      };
      const found = [...problems.map(at('error')), ...warnings.map(at('warning'))];
      view.dispatch(setDiagnostics(view.state, found));
    },
    goTo(line) {
      const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines));
      view.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      });
      view.focus();
    },
    replace(replaced) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: replaced } });
    },
    close: () => view.destroy(),
  };
}

async function complete({ state, pos, explicit }: CompletionContext) {
  const line = state.doc.lineAt(pos);
  const above = state.doc.sliceString(0, line.from).split('\n').slice(0, -1);
  const place = placeOf(above, line.text.slice(0, pos - line.from));
  if (!place || (place.typed === '' && !explicit && !place.isValue)) return null;
  const { default: schema } = await import('../../generated/modelSchema.json');
  const options = suggestionsAt(schema as SchemaNode, place).map(({ label, kind, about }) => ({
    label,
    detail: kind,
    ...(about && { info: about }),
    apply: place.isValue ? label : `${label}: `,
  }));
  return { from: pos - place.typed.length, options, validFor: /^[\w$.-]*$/ };
}

const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--blue)' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator], color: 'var(--soft)' },
]);

/** The marks of lint are images in data URLs, which the policy refuses. */
const underlined = (color: string) => ({
  backgroundImage: 'none',
  textDecoration: `underline wavy ${color}`,
  textUnderlineOffset: '3px',
});

const look = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--card)', fontSize: '13px', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, "SF Mono", Menlo, monospace', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-gutters': {
    backgroundColor: 'var(--card)',
    color: 'var(--soft)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-lintRange-error': underlined('var(--bad)'),
  '.cm-lintRange-warning': underlined('var(--busy)'),
  '.cm-tooltip': {
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
  },
  '.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionInfo': { padding: '6px 10px', maxWidth: '22rem' },
  '.cm-completionIcon': { display: 'none' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--busy)' },
});
