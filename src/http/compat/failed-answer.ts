/** An answer that is an error, in the shape of the product whose interface it is. */
export class FailedAnswer<Failed> {
  readonly status: number;
  readonly errors: readonly Failed[];

  constructor(status: number, errors: readonly Failed[]) {
    this.status = status;
    this.errors = errors;
  }
}
