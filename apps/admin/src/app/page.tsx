import { redirect } from 'next/navigation';
import { FailurePage } from '../shell/failure-page';
import { homeOf } from '../shell/paths';
import { viewer } from '../server/viewer';

export default async function Home() {
  const found = await viewer();
  if (!found.ok) return <FailurePage error={found.error} />;
  redirect(homeOf(found.me));
}
