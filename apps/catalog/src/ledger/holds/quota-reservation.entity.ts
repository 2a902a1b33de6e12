import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn } from '../../db/columns';
import { BudgetRequest } from './budget-request.entity';

/** What one request holds of, or has used from, one quota. The quota may be deleted by now. */
@Entity('quota_reservation')
@Index(['quotaId', 'windowStartsAt'])
@ForeignKey(() => BudgetRequest, ['requestId'], ['requestId'], { onDelete: 'CASCADE' })
export class QuotaReservation {
  @PrimaryColumn('uuid')
  requestId!: string;

  @PrimaryColumn('uuid')
  quotaId!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('timestamptz')
  windowStartsAt!: Date;

  @Column(bigintColumn)
  held!: bigint;

  @Column(bigintColumn)
  used!: bigint;
}
