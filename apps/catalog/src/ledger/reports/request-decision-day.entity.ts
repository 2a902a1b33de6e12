import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

import { bigintColumn } from '../../db/columns';
import { Organisation } from '../../entities/organisation.entity';

/** How many decisions of an organisation were kept on a day (UTC), and how many were not. */
@Entity('request_decision_day')
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('request_decision_day_kept_check', 'kept >= 0')
@Check('request_decision_day_dropped_check', 'dropped >= 0')
export class RequestDecisionDay {
  @PrimaryColumn('uuid')
  organisationId!: string;

  @PrimaryColumn('date')
  day!: string;

  @Column('integer')
  kept!: number;

  /** Reported, and not kept. Policies stop to report an organisation that is full. */
  @Column(bigintColumn)
  dropped!: bigint;

  /** The most of a day are kept. */
  @Column('boolean')
  isFull!: boolean;
}
