import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn } from '../../db/columns';
import { Organisation } from '../../entities/organisation.entity';

/**
 * What requests authorised in [startsAt, endsAt) have used of a limit that each end user, session or value of a tag has
 * for itself. The value is a keyed hash. Only the ledger writes it. A missing row is zero: every request that counts
 * names its values in its ledger entry.
 */
@Entity('value_window')
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Index('value_window_ends_at_idx', ['endsAt'])
@Index('value_window_updated_at_idx', ['updatedAt'], { where: `ends_at > '9000-01-01Z'` })
@Index('value_window_amount_idx', ['limitId', 'startsAt', 'endsAt', 'amount'])
@Check('value_window_span_check', 'starts_at < ends_at')
export class ValueWindow {
  @PrimaryColumn('uuid')
  limitId!: string;

  @PrimaryColumn('timestamptz')
  startsAt!: Date;

  @PrimaryColumn('timestamptz')
  endsAt!: Date;

  @PrimaryColumn('text')
  valueHash!: string;

  @Column('uuid')
  organisationId!: string;

  @Column(bigintColumn)
  amount!: bigint;

  /** Requests booked before are not in the amount: a total before this one was forgotten with them. */
  @Column('timestamptz', { default: () => 'now()' })
  countsFrom!: Date;

  /** The latest request that counted: its record names the value. Null: of an earlier release. */
  @Column('uuid', { nullable: true })
  requestId!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
