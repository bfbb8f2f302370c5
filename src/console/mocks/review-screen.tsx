/** What a save of the working copy would change. */
import type { JSX } from 'preact';
import type { MockScreenProps } from '../state/mock-screen-props.ts';

export const ReviewScreen = ({ record }: MockScreenProps): JSX.Element => <p class="muted">{record.id}</p>;
