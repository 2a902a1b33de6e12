import { playgroundPage } from '../../../features/playground/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'Playground' };
export default platformPage(playgroundPage);
