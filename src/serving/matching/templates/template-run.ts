/** The state and the limits of rendering one response, shared by its body and its headers. */
import { streamOf, type Random } from '../../../base/seeded-draw.ts';
import { JSON_BEGUN, type JsonStretch } from '../../../languages/templates/json-reader.ts';
import { TEMPLATE_LIST_ITEMS_MAX, TEMPLATE_OUTPUT_CHARS_MAX, TEMPLATE_STEPS_MAX } from '../../../limits.ts';
import type { RequestView } from '../request/request-view.ts';

/** Work of a step. In units of RULE_WORK_MAX. */
const STEP_WORK = 80;
/** Work of a list that a helper makes, and of each item. */
const LIST_WORK = 10;
const ITEM_WORK = 10;
/** Work of an object that a helper makes, and of each member: its name is listed, looked up and entered. */
const OBJECT_WORK = 60;
const MEMBER_WORK = 130;
/** Characters from a helper that cost as much as one unit. */
const CHARS_PER_WORK = 16;

export class TemplateRun {
  readonly view: RequestView;
  steps = TEMPLATE_STEPS_MAX;
  /** Characters and items that helpers may still make, apart from the output. */
  made = TEMPLATE_OUTPUT_CHARS_MAX;
  problem: string | undefined;
  rsaSignatures = 0;
  /** State of the rendered JSON, and the places of the next tags. */
  json = JSON_BEGUN;
  /** The draws of the template that is rendered. */
  random: Random = Math.random;
  /** Values of blocks: languages/templates/template-tree.ts. */
  readonly locals: unknown[] = [];
  /** The answer that a callback follows. */
  response: unknown;
  /** Variables of the template. */
  variables: Map<string, unknown> | undefined;

  constructor(view: RequestView) {
    this.view = view;
    if (view.stores?.result !== undefined) this.variables = new Map([['result', view.stores.result.body]]);
  }

  /** Identifies the repetition of a stream's event: each draws for itself. */
  occurrence: string | undefined;

  /** The draws of a template. */
  draws(stream: number): Random {
    return this.view.random(this.occurrence === undefined ? stream : streamOf(stream, this.occurrence));
  }

  /** Goes on in the JSON that is rendered, before texts and tags are. */
  follow(stretch: JsonStretch): void {
    this.json = stretch.behind(this.json, this.view);
    if (this.json.fault !== undefined) this.problem ??= stretch.template.problem(this.json.fault);
  }

  /** Counts one step. @returns false when rendering must stop. */
  step(): boolean {
    this.view.work -= STEP_WORK;
    if (--this.steps < 0) this.problem ??= `the template takes more than ${TEMPLATE_STEPS_MAX} steps`;
    this.checkWork();
    return this.problem === undefined;
  }

  /** A value that the budget does not suffice for looks missing: call it after each read. */
  checkWork(): void {
    if (this.view.work < 0) this.problem ??= 'the template reads too much of the request';
  }

  /** Charges for a text that a helper makes, before it is made. @returns Whether it may. */
  mayMakeText(chars: number): boolean {
    this.view.work -= Math.ceil(chars / CHARS_PER_WORK);
    return this.#mayMake(chars);
  }

  /** The same for a list. */
  mayMakeList(items: number): boolean {
    this.view.work -= LIST_WORK + items * ITEM_WORK;
    return this.#mayMakeItems(items);
  }

  /** The same for an object. */
  mayMakeObject(members: number): boolean {
    this.view.work -= OBJECT_WORK + members * MEMBER_WORK;
    return this.#mayMakeItems(members);
  }

  #mayMakeItems(items: number): boolean {
    if (items > TEMPLATE_LIST_ITEMS_MAX)
      this.problem ??= `a helper of the template generates a list of more than ${TEMPLATE_LIST_ITEMS_MAX} items`;
    return this.#mayMake(items);
  }

  #mayMake(count: number): boolean {
    this.made -= count;
    if (this.made < 0)
      this.problem ??= `the helpers of the template generate more than ${TEMPLATE_OUTPUT_CHARS_MAX} characters`;
    this.checkWork();
    return this.problem === undefined;
  }
}
