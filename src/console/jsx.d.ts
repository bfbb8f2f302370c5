/** The return type of components: `JSX.Element`. */
import type { JSX as Preact } from 'preact';

declare global {
  namespace JSX {
    type Element = Preact.Element;
  }
}
