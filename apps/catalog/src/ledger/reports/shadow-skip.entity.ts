import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

import { bigintColumn } from '../../db/columns';
import { Experiment } from '../../entities/experiment.entity';

/** Shadows of one experiment that were not sent for the same reason, summed from policies' reports. */
@Entity('experiment_shadow_skip')
@ForeignKey(() => Experiment, ['experimentId'], ['id'], { onDelete: 'CASCADE' })
@Check('experiment_shadow_skip_count_check', 'count > 0')
export class ShadowSkip {
  @PrimaryColumn('uuid')
  experimentId!: string;

  /** A code of the gateway's error table. */
  @PrimaryColumn('text')
  code!: string;

  @Column('uuid')
  organisationId!: string;

  @Column(bigintColumn)
  count!: bigint;

  @Column('timestamptz')
  firstAt!: Date;

  @Column('timestamptz')
  lastAt!: Date;
}
