/** What a component returns, in every file of the console: `JSX.Element`. */
import type { JSX as Preact } from 'preact';

declare global {
  namespace JSX {
    type Element = Preact.Element;
  }
}
