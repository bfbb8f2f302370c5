/** Whether a mock was called as expected. */
import type { JSX } from 'preact';
import type { MockScreenProps } from '../state/mock-screen-props.ts';

export const VerifyScreen = ({ record }: MockScreenProps): JSX.Element => <p class="muted">{record.id}</p>;
