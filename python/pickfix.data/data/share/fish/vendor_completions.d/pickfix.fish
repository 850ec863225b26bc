# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_pickfix_global_optspecs
    string join \n select= ignore= rules= source-root= no-source= annotate= fold= only color= ascii= annotation= width= exit-code= report= no-state= show-config strict-config h/help V/version
end

function __fish_pickfix_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_pickfix_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_pickfix_using_subcommand
    set -l cmd (__fish_pickfix_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c pickfix -n "__fish_pickfix_needs_command" -l select -d 'Look for these failures only: ids, or `family/*` for all of a family' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_needs_command" -l ignore -d 'Do not look for these' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_needs_command" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_needs_command" -l source-root -d 'Read the program\'s source below this folder, to name the object' -r
complete -c pickfix -n "__fish_pickfix_needs_command" -l no-source -d 'Do not read the program\'s source' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l annotate -d 'Write annotations: auto (the default) or never' -r -f -a "auto\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l fold -d 'Fold the frames of libraries: all (by default), known, unknown or none' -r -f -a "all\t''
known\t''
unknown\t''
none\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l color -d 'Colour pickfix\'s own text: auto (the default), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l ascii -d 'Use ASCII characters only: `#|` instead of `▎`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l annotation -d 'How much to say of a failure: short (the default) or full' -r -f -a "short\t''
full\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l width -d 'Wrap pickfix\'s own text at this column' -r
complete -c pickfix -n "__fish_pickfix_needs_command" -l exit-code -d 'End with status 1 if an error or a warning was annotated' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l report -d 'Write each failure to this file too, as a line of JSON' -r -F
complete -c pickfix -n "__fish_pickfix_needs_command" -l no-state -d 'Keep nothing of this run for `pickfix last` and `pickfix fix`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_needs_command" -l only -d 'Write explanations, your own frames and exceptions alone'
complete -c pickfix -n "__fish_pickfix_needs_command" -l show-config -d 'Show the settings in effect and where each comes from, then exit'
complete -c pickfix -n "__fish_pickfix_needs_command" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_needs_command" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_needs_command" -s V -l version -d 'Show the version'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "check" -d 'Read saved logs, files and folders, and report what went wrong in them'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "run" -d 'Run a command and explain what it prints, on a terminal of its own'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "rules" -d 'List the rules, test them, or begin a new one'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "fix" -d 'Print a diff that fixes the program, or write it'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "last" -d 'Show the failures of the last run in full'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "init" -d 'Print shell code that runs Python\'s commands through pickfix'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "finder" -d 'Print a Python program that names every unpicklable part of an object'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "completions" -d 'Print the completions of a shell: bash, zsh, fish, powershell or elvish'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "man" -d 'Print the man page of pickfix, or of a command'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "help" -d 'Show the help of a command in full, or about a topic'
complete -c pickfix -n "__fish_pickfix_needs_command" -a "explain" -d 'Show a failure in full, the one that fits a message, or the list of all'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l glob -d 'Read only these files of a folder: `*.log`, `rank*/*.err`; with `!` not these' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l select -d 'Look for these failures only: ids, or `family/*` for all of a family' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l ignore -d 'Do not look for these' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l source-root -d 'Read the program\'s source below this folder, to name the object' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l no-source -d 'Do not read the program\'s source' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l format -d 'Write text, json, jsonl, sarif, github, gnu or html; text is the default' -r -f -a "text\t''
json\t''
jsonl\t''
sarif\t''
github\t''
gnu\t''
html\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l group-by -d 'Report the same failure once: by id (over all logs, the default), in each job, or in each file' -r -f -a "id\t''
file\t''
job\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l limit -d 'Show at most this many failures in the text; it says what it leaves out' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l color -d 'Colour pickfix\'s own text: auto (the default), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l ascii -d 'Use ASCII characters only: `#|` instead of `▎`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l annotation -d 'How much to say of a failure: short (the default) or full' -r -f -a "short\t''
full\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l width -d 'Wrap pickfix\'s own text at this column' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l report -d 'Write each failure to this file too, as a line of JSON' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l threads -d 'Read with this many threads; the default is one for each processor' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -s f -l follow -d 'Keep reading a log that still grows, until Ctrl-C; report what is found at once'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l unknown -d 'In json and jsonl, include failures that no rule knows, with `"id": null`'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l summary -d 'Print only the last line, which sums up'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -s q -l quiet -d 'Print nothing: the exit status tells'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l exit-zero -d 'End with status 0 whatever was found; with 2 if there was trouble'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand check" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l select -d 'Look for these failures only: ids, or `family/*` for all of a family' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l ignore -d 'Do not look for these' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l source-root -d 'Read the program\'s source below this folder, to name the object' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l no-source -d 'Do not read the program\'s source' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l stall -d 'Say what each process waits for when nothing was printed for this many seconds' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l annotate -d 'Write annotations: auto (the default) or never' -r -f -a "auto\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l fold -d 'Fold the frames of libraries: all (by default), known, unknown or none' -r -f -a "all\t''
known\t''
unknown\t''
none\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l color -d 'Colour pickfix\'s own text: auto (the default), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l ascii -d 'Use ASCII characters only: `#|` instead of `▎`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l annotation -d 'How much to say of a failure: short (the default) or full' -r -f -a "short\t''
full\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l width -d 'Wrap pickfix\'s own text at this column' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l report -d 'Write each failure to this file too, as a line of JSON' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l no-state -d 'Keep nothing of this run for `pickfix last` and `pickfix fix`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l probe -d 'Load a small module into the program\'s Pythons, to name the object that cannot be pickled'
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l only -d 'Write explanations, your own frames and exceptions alone'
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand run" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and not __fish_seen_subcommand_from list test new" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and not __fish_seen_subcommand_from list test new" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and not __fish_seen_subcommand_from list test new" -f -a "list" -d 'List all rules: id, family, severity, title'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and not __fish_seen_subcommand_from list test new" -f -a "test" -d 'Check the form of rules and whether their examples hold'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and not __fish_seen_subcommand_from list test new" -f -a "new" -d 'Print the beginning of a rule file'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from list" -l format -d 'Write text, markdown or json; text is the default' -r -f -a "text\t'For people'
markdown\t'For pages'
json\t'For programs'"
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from list" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from list" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from list" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from test" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from test" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from test" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from new" -l from -d 'Take the last traceback of this log; `-` is standard input' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from new" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand rules; and __fish_seen_subcommand_from new" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l id -d 'Fix these failures only, by the ids of their rules' -r -f -a "(__fish_complete_list , __fish_pickfix_ids)"
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l source-root -d 'Read the program\'s source below this folder, to name the object' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l no-source -d 'Do not read the program\'s source' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l apply -d 'Write the changes, each file\'s old text kept as NAME.orig; all or none'
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l list -d 'List the failures, with the files that would change, or why none does'
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand fix" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l format -d 'Write text or json, one object a line; text is the default, paged on a terminal' -r -f -a "text\t''
json\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l color -d 'Colour pickfix\'s own text: auto (the default), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l ascii -d 'Use ASCII characters only: `#|` instead of `▎`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l annotation -d 'How much to say of a failure: short (the default) or full' -r -f -a "short\t''
full\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l width -d 'Wrap pickfix\'s own text at this column' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l code -d 'Print the code of the fixes alone, to be pasted'
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand last" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand init" -l command -d 'The commands that are run through pickfix' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand init" -l pipe -d 'Use a pipe, `python … 2>&1 | pickfix`, instead of `pickfix run`'
complete -c pickfix -n "__fish_pickfix_using_subcommand init" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand init" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand finder" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand finder" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand completions" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand completions" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand man" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand man" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand help" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand help" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l format -d 'Write text, markdown or json; text is the default, paged on a terminal' -r -f -a "text\t'For people'
markdown\t'For pages'
json\t'For programs'"
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l color -d 'Colour pickfix\'s own text: auto (the default), always or never' -r -f -a "auto\t''
always\t''
never\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l ascii -d 'Use ASCII characters only: `#|` instead of `▎`' -r -f -a "true\t''
false\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l annotation -d 'How much to say of a failure: short (the default) or full' -r -f -a "short\t''
full\t''"
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l width -d 'Wrap pickfix\'s own text at this column' -r
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l rules -d 'Use the rules in this folder too; may be given several times' -r -F
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -s h -l help -d 'Show help: `-h` in short, `--help` in full'
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -l strict-config -d 'End with status 2 if the file of settings is wrong, instead of a warning'

function __fish_pickfix_ids
    string split ' ' 'celery-ack-timeout celery-beat-damaged celery-beat-new-file celery-beat-twice celery-binding-lost celery-broker-lost celery-broker-refuses celery-broker-unreachable celery-child-signalled celery-chord-failed celery-content-refused celery-failure-meta celery-get-in-task celery-memory-limit celery-no-nodes celery-no-result-backend celery-node-name-twice celery-not-json celery-pidfile celery-plain-process celery-pool-on-windows celery-pool-process-error celery-pool-thread-crashed celery-soft-time-limit celery-task-terminated celery-task-unregistered celery-time-limit celery-worker-lost celery-worker-not-up queue-declared-otherwise task-result-late accelerate-state-incomplete async-save-backend dcp-error-hidden dcp-load-mismatch dcp-rank-failed deepspeed-checkpoint-missing fairseq-iterator-length fsdp-checkpoint-missing fsdp-not-sharded fsdp-not-wrapped-yet fsdp-optimizer-differs fsdp-optimizer-resumed fsdp-optimizer-state-empty fsdp-save-only-model megatron-checkpoint-differs megatron-index-missing megatron-resume megatron-save-worker-died megatron-shards-overlap model-parallel-size optimizer-not-consolidated optimizer-state-size orbax-devices-differ recompute-partitioned resume-other-gpu-count rng-state-of-more-gpus sharded-other-ranks sharded-state-expected state-dict-prefix stateful-loader-differs trainer-checkpoint-race weights-not-gathered zero-other-world-size compile-cache-race compile-worker-died compile-worker-error cublas-failed cuda-cpu-only-build cuda-device-assert cuda-driver cuda-exclusive-mode cuda-fork cuda-generator-device cuda-handle-elsewhere cuda-hardware cuda-illegal-instruction cuda-illegal-memory-access cuda-ipc-producer-gone cuda-ipc-refused cuda-kernel-timeout cuda-mps cuda-no-kernel-image cuda-out-of-memory cuda-peer-limit cuda-tensor-in-worker cuda-tensor-sent-on cuda-unknown-error cudnn-failed cudnn-not-started dali-workers-late gpu-number-unseen hpu-not-acquired jax-backend-missing jax-memory-taken jax-no-gpu jax-out-of-memory lmdeploy-gpu-memory neuron-cores-taken npu-device rocm-devices-hidden-twice rocm-gpu-fault rocm-no-gpu sglang-gpu-memory tf-out-of-memory tgi-gpu-memory vllm-gpu-memory xpu-device-lost alignment-file-shared archive-shared-handle augmenter-worker-ended augmenter-worker-exception batch-sampler-class collate-size-mismatch dali-worker-failed dataloader-option-conflict dataloader-worker-exception dgl-shared-memory-left grain-worker-ended hdf5-locked hdf5-shared-handle iterable-duplicated keras-generator-shared keras-worker-late keras-workers-argument lightning-loader-class loader-dropped-early loader-many-workers loader-out-of-memory mxnet-loader-timeout netcdf-in-threads nnunet-unpacked-broken paddle-reader-failed paddle-worker-died pin-memory-expanded pin-memory-resume pin-memory-thread-exited pinned-memory-refused sample-is-none sampler-without-length shared-seed-timeout shared-tensor-owner-gone shared-tensor-temporary-at-spawn shm-manager-failed sqlite-shared-connection streaming-local-directory streaming-shared-memory tf-dataset-worker-timeout tk-in-worker too-many-open-files video-decoder-forked webdataset-too-few-shards worker-cleanup-assert worker-exited worker-hang worker-killed worker-segfault worker-shared-memory worker-timeout apex-ddp-unprepared backend-lacks-operation barrier-device-ids barrier-guesses-gpu batch-not-divisible batchnorm-one-sample collective-mismatch collective-not-contiguous collective-not-tensor collective-sizes collective-type collective-wrong-device composer-sampler-missing data-parallel-cpu data-parallel-device data-parallel-gather data-parallel-inplace data-parallel-output data-parallel-replica ddp-backward-unprepared ddp-bucket-view ddp-device-ids ddp-lazy-module ddp-marked-ready-twice ddp-model-mismatch ddp-nothing-to-train ddp-optimizer-higher-order ddp-output-inplace ddp-subclass-outdated ddp-unused-parameters deepep-timeout deepspeed-auto-left deepspeed-backward-direct deepspeed-batch-size deepspeed-config-differs deepspeed-elasticity deepspeed-loss-scale deepspeed-not-prepared deepspeed-offload-device deepspeed-one-model deepspeed-optimizer-missing deepspeed-optimizer-twice deepspeed-pipeline-call deepspeed-setting-unsupported deepspeed-setup-refused device-map-in-ranks device-mesh-names device-mesh-size dgl-server-bind dispatched-batches-differ dtensor-mixed dtensor-operator engine-start-failed etcd-unreachable fabric-method-outside fsdp-cannot-shard fsdp-device fsdp-inference-mode fsdp-meta-parameters fsdp-mixed-parameters fsdp-optimizer-first fsdp-root fsdp-settings-clash fsdp-wrap-class fsdp-wrapped-twice fsdp-writeback-shape fsdp2-prepare-together gather-unsupported-type gloo-connect gloo-interface gloo-loopback gloo-peer-gone gpus-without-p2p group-sizes hccl-connect hccl-error hccl-timeout horovod-mismatch horovod-parameter-names horovod-rank-gone horovod-step-order init-arguments jax-array-elsewhere jax-array-not-global jax-axis-unknown jax-collective-stuck jax-coordinator jax-devices-differ jax-initialize-late jax-mesh-missing jax-nccl-error jax-pmap-sizes jax-process-gone jax-process-missing jax-processes-differ jax-shape-not-divisible jax-sharding-rank kv-transfer-failed launcher-signalled lightgbm-network lightning-rank-failed mesh-rank-outside mindspore-rank-failed model-not-wrapped mpi-array-layout mpi-buffers-differ mpi-call-failed mpi-daemon-lost mpi-exception mpi-fork mpi-init-failed mpi-initialised-twice mpi-message-truncated mpi-no-provider mpi-not-built-in mpi-object-garbled mpi-peer-gone mpi-peer-unreachable mpi-rank-missing mpi-requests-exhausted mpi-scatter-count mpi-shared-memory-copy mpi-torch-backend mpi-unsendable-buffer nccl-argument nccl-bootstrap-ranks nccl-cuda-failure nccl-efa nccl-gpu-hidden nccl-gpu-memory-refused nccl-imex nccl-infiniband nccl-interface nccl-message-size nccl-no-transport nccl-not-built-in nccl-nvlink-p2p nccl-nvls nccl-peer-left nccl-peer-unreachable nccl-topology nccl-version-mismatch nixl-handshake npu-in-use npu-main-gone nvshmem-init object-collective-garbled oneccl-error oneccl-local-rank oneccl-missing paddle-rank-failed pipeline-stage-shapes pmix-store process-group-not-destroyed process-group-twice rank-not-in-group rank-number-too-large rank-uses-two-gpus rank-without-batches rank-zero-only-object ranks-address-in-use ranks-child-failed ranks-child-signal ranks-collective-timeout ranks-duplicate-gpu ranks-gradients-differ ranks-losses-differ ranks-nccl-error ranks-nccl-shared-memory ranks-not-initialized ranks-port-forbidden ranks-remove-same-file ranks-rendezvous ranks-same-folder ranks-same-number ranks-taken-down rendezvous-url results-folder-not-shared rpc-infiniband rpc-not-initialized rpc-peer-gone rpc-timeout sampler-not-distributed send-to-self sequence-pieces-differ server-child-failed sglang-no-answer shard-map-outputs sharded-parameter-used smddp-unsupported store-connection-lost store-of-another-job store-server-gone symmetric-memory sync-batchnorm-device sync-batchnorm-unwrapped tensor-parallel-layouts tf-empty-batch tf-loss-reduction tf-nccl-missing tf-other-scope tf-outside-replica tf-per-replica-value tf-server-port tf-strategy-late tf-task-lost torch-without-distributed trainer-optimizer-passed training-step-skipped trl-client-main-only trl-server-other ucx-connection vllm-engine-apart vllm-engine-ended vllm-groups-differ vllm-weight-group-left webdataset-nodesplitter wrapped-model-attribute xgboost-workers xla-not-configured xla-rendezvous zero-gradient-twice zero-inference-stage zero-mixed-parameters zero-module-order zero-no-sync zero-parameter-in-use zero-parameter-unavailable zero-parameter-unmanaged zero-parameters-elsewhere zero-prefetch-left zero-untested-optimizer container-out-of-memory container-unhealthy job-out-of-memory job-step-killed job-too-many-processes kernel-out-of-memory mpi-process-crashed nextflow-task-killed nipype-command-killed node-failed program-bus-error program-crashed program-killed program-terminated ros-node-died run-bus-error run-crashed run-killed run-out-of-memory service-not-started service-stop-too-slow stdio-locked-at-exit workflow-job-killed asyncio-other-loop cassandra-after-fork database-connection-shared database-connections-used-up database-deadlock database-pool-inherited django-connection-thread embedded-database-locked event-loop-forked fsspec-fork green-thread-fork-hook grpc-fork grpc-port-shared kafka-after-fork lmdb-environment-shared messaging-after-fork mongo-client-shared no-event-loop-in-worker proj-database-forked raster-shared-handle redis-connection-shared rows-made-at-import sqlite-locked stdout-gone-at-start tables-made-twice tls-connection-shared worker-connection-stale zmq-port-taken zmq-socket-shared airflow-api-refused airflow-celery-state airflow-command-failed airflow-dag-missing airflow-heartbeat-late airflow-kubernetes-watcher airflow-log-not-fetched airflow-processor-ended airflow-task-killed airflow-task-lost airflow-task-sigterm airflow-task-taken-away airflow-timed-out airflow-webserver-workers autosklearn-dummy-failed backtesting-one-process beam-subprocess-ended beam-worker-ended coverage-data-shared dagster-code-server-ended dagster-daemon-stopped dagster-daemon-twice dagster-in-memory dagster-step-failed dask-cannot-connect dask-cannot-tokenize dask-cluster-not-started dask-connection-closed dask-dashboard-port dask-deserialize-failed dask-event-loop-busy dask-future-cancelled dask-jobqueue-submit dask-killed-worker dask-large-graph dask-message-too-large dask-nanny-pipe-broken dask-no-client dask-p2p-failed dask-scheduler-lost dask-unserializable dask-versions-differ dask-worker-died dask-worker-memory dask-worker-not-started dask-worker-not-stopped dask-worker-paused dask-worker-silent dask-workers-missing dask-workspace-lock dill-too-old django-parallel-tests django-test-database-missing evaluate-shared-files file-locks-missing flow-code-missing forked-test-crashed hf-datasets-map-died hf-datasets-unhashable ipyparallel-engine-died ipyparallel-names-missing ipyparallel-no-engines joblib-core-count joblib-error-hidden joblib-generator-open joblib-nested joblib-options joblib-read-only-array joblib-resource-tracker joblib-task-unserialize joblib-temp-file-warning joblib-temp-folder-busy joblib-temp-folder-full joblib-unpicklable joblib-worker-no-module joblib-worker-stopped joblib-worker-terminated kedro-not-serializable lithops-function-killed loky-fork-context loky-nested-too-deep luigi-scheduler-unreachable metaflow-child-failed mfa-job-failed nipype-resources optuna-journal-symlink optuna-tables-race optuna-trial-finished parsl-executor-failed parsl-worker-lost prefect-no-heartbeat prefect-run-stopped prefect-server-not-started pymc-chain-not-started ray-actor-attribute ray-actor-dropped ray-actor-name ray-agent-failed ray-already-running ray-called-directly ray-cannot-schedule ray-client-lost ray-dashboard-failed ray-environment-failed ray-function-too-large ray-get-timeout ray-gpus-missing ray-graph-timeout ray-head-unreachable ray-import-failed ray-init-options ray-init-twice ray-job-agent ray-memory-settings ray-no-cluster ray-node-died ray-node-silent ray-not-connected ray-num-returns ray-object-lost ray-object-other-session ray-object-store-full ray-objects-in-tmp ray-out-of-disk ray-owner-died ray-package-too-large ray-placement-group ray-port-twice ray-read-only-array ray-serve-failed ray-serve-unhealthy ray-several-clusters ray-start-timeout ray-storage-not-shared ray-train-failed ray-train-report-uneven ray-unserializable ray-version-mismatch ray-windows-job ray-worker-arguments ray-worker-bus-error ray-worker-died ray-wrong-call snakemake-locked spacy-extension-missing spacy-strings-missing spark-broadcast-misused spark-broadcast-slow spark-cloudpickle-too-old spark-context-stopped spark-context-twice spark-driver-address spark-driver-socket spark-executor-gone spark-executor-lost spark-hash-seed spark-heap-full spark-jvm-gone spark-missing-library spark-no-java spark-python-mismatch spark-python-not-found spark-result-too-large spark-rpc-timeout spark-shuffle-lost spark-unserializable spark-worker-crashed spark-worker-no-connection streamlit-unserializable tokenizers-fork torch-distributor-failed tqdm-chunk-size tune-no-best-trial verl-worker-missing wandb-service-gone xdist-different-tests xdist-unserializable xdist-worker-crashed xdist-worker-error accelerate-logger-early accelerate-options accelerate-parallelism accelerate-state-missing accelerator-already-set container-gpu-start deepspeed-config-missing deepspeed-device-choice deepspeed-hostfile deepspeed-launch-options deepspeed-node-unreachable deepspeed-not-installed deepspeed-operator-build deepspeed-ssh-port deepspeed-without-launcher detectron-launch fabric-not-launched fairseq-world-size horovod-backend-missing horovod-extension-broken horovod-hosts horovod-not-initialized hydra-script-relative jax-device-count launcher-clashes-slurm launcher-docker-host launcher-exe-broken launcher-gpu-count launcher-libuv launcher-local-rank launcher-missing launcher-options lightning-gpu-missing lightning-local-rank lightning-no-device lightning-slurm-tasks lightning-strategy-limits lightning-strategy megatron-options mpi-as-root mpi-daemon-not-started mpi-launch-failed mpi-not-enough-slots mpi-other-options mpi-time-limit one-gpu-only parallel-sizes parallelism-unsupported rank-argument-missing ranks-exceed-gpus sagemaker-job-failed skypilot-node-failed slurm-container slurm-mpi-plugin slurm-program-missing slurm-refused slurm-script-copied slurm-step-failed submitit-job-failed swift-worker-count tensor-parallel-quantized tpu-addresses tpu-hosts tpu-in-use tpu-not-permitted tpu-process-count tpu-topology tpu-used-before-spawn trainer-needs-launcher unsloth-cache vertex-replica-failed vllm-ray-nodes vllm-tensor-parallel vllm-too-few-gpus yolo-ddp-file yolo-ddp-options yolo-gpu-missing cuda-library-missing cuda-library-mixed distributed-other-torch extension-other-torch h5py-without-mpi mpi-library-missing multiprocess-too-old numpy-loaded-twice numpy-missing-in-ranks nvcc-missing nvcc-other-cuda nvml-driver-mismatch nvml-gpu-lost nvml-not-initialized torchvision-other-torch worker-out-of-memory dill-names-missing kernel-died kernel-message-from-fork kernel-parent-gone kernel-port-taken notebook-launcher-accelerator notebook-strategy mkl-threading-layer numba-tbb-fork numba-workqueue-threads openmp-after-fork openmp-twice thread-limit threadpoolctl-too-old apscheduler-unserializable ctypes-not-shared deepcopy-non-leaf-tensor frozen-slots-dataclass interpreter-not-shareable pickle-changed-during-iteration pickle-exception-args pickle-getattr-dunder pickle-lookup-failed pickle-new-args pickle-non-leaf-tensor pickle-not-same-object pickle-recursion pickle-stand-in pickle-too-large unpicklable-database unpicklable-event-loop unpicklable-extension unpicklable-file unpicklable-frame unpicklable-generator unpicklable-h5py unpicklable-lambda unpicklable-local-object unpicklable-lock unpicklable-module unpicklable-mp-primitive unpicklable-object unpicklable-proxy unpicklable-socket unpicklable-span unpicklable-torch-handle unpicklable-view unpicklable-weakref wrapped-model-copied asyncio-default-executor broken-process-pool folder-made-by-two future-awaited mpi-pool-alone pandarallel-shared-memory pebble-process-died pool-callback-failed pool-initializer-failed pool-left-at-exit pool-module-called pool-not-running pool-options pool-result-encoding pool-result-thread-died result-not-fetched result-not-ready sentence-pool-worker-died stan-chain-killed worker-arguments worker-command-killed worker-crashed worker-target-called addon-service-signal ansible-worker-dead aws-session-threads bento-runner-gone channel-layer-full debugger-port-taken django-q-worker-replaced dramatiq-time-limit engine-port-taken eventlet-patched-late fastchat-no-controller flask-context-missing flask-processes-and-threads flask-reload-noise flask-reloader-socket frigate-detector-stopped functions-worker-died gevent-and-eventlet gevent-patched-late greenlet-other-thread greenlets-share-socket gunicorn-logger-replaced gunicorn-worker-boot gunicorn-worker-crashed gunicorn-worker-exited gunicorn-worker-forked gunicorn-worker-killed gunicorn-worker-timeout hypercorn-config-unpicklable inference-worker-died jupyterhub-spawn-failed kafka-poll-too-late locust-worker-lost log-rotation-race log-rotation-windows messaging-timeout mod-wsgi-no-answer nicegui-main-guard odoo-live-port odoo-memory-limit odoo-time-limit orm-object-detached pid-file-left prometheus-file-damaged queue-unreachable reactor-restarted redis-lock-expired salt-process-died sanic-app-not-found sanic-worker-not-up scheduler-in-each-worker select-file-number server-child-ended socketio-other-worker supervised-program-ended supervisord-twice task-broker-lost task-function-in-main task-process-died task-stopped-by-shutdown task-time-limit task-unknown tgi-needs-flash torchserve-worker-died triton-shared-memory triton-stub-died trl-server-unreachable undetected-chromedriver-shared uvicorn-child-died uvicorn-inside-process uvicorn-reload-child-gone uvicorn-windows-workers uwsgi-interned-string uwsgi-threads-off uwsgi-worker-died worker-name-taken worker-port-taken worker-temp-folder xinference-no-slot xoscar-process-gone asyncio-child-left-open asyncio-child-status-lost asyncio-child-watcher asyncio-loop-without-processes camera-in-use child-reaped-elsewhere condition-not-held connection-closed-here connection-key-mismatch connection-key-type connection-misread connection-two-threads daemonic-children django-not-set-up file-lock-held fork-cannot-allocate-memory fork-macos-objc fork-with-threads forkserver-inherited frozen-temp-gone frozen-without-freeze-support gil-switched-on global-not-set-in-worker global-of-main-guard gym-env-not-registered input-in-child leaked-after-server leaked-semaphores listener-address-in-use lock-lost-its-context lock-released-too-often main-without-spec manager-autoproxy manager-connection-lost manager-object-gone manager-proxy-attribute manager-proxy-in-child manager-state missing-main-guard mixed-start-methods module-not-in-subinterpreter mp-context-keyword mp-semaphore-gone mp-temp-folder-busy multiprocessing-missing no-semaphores nuitka-called-itself os-fork-missing own-multiprocessing-file peer-process-gone pipe-wrong-direction pool-of-no-processes preexec-fn-failed process-handle-wrong-parent process-in-loky-worker process-init-missing process-object-misused proxy-not-json pyinstaller-child-died queue-class-context queue-closed-under-feeder queue-closed queue-size-on-macos resource-tracker-died resource-tracker-not-child resource-tracker-reentrant shareable-list-item-grew shared-array-no-space shared-memory-empty shared-memory-exists shared-memory-gone shared-memory-in-use shared-memory-removed-twice shared-memory-size shared-value-misused signal-outside-main-thread simulator-gone simulator-port-taken socket-default-timeout socket-path-too-long spawn-broken-pipe spawn-executable-gone spawn-main-import-failed spawn-no-main-file start-method-already-set start-method-unavailable subinterpreter-forbids task-done-too-often torchrl-worker-failed torchrl-worker-timeout unity-environment-gone unity-worker-in-use vector-env-actions vector-env-cleanup vector-env-not-function vector-env-pending vector-env-shared-memory vector-env-spaces-differ vector-env-worker-exception watched-process-gone windowed-without-stderr windows-file-in-use windows-paging-file windows-pipe-in-flight windows-spawn-handle windows-worker-limit barrier-broken join-before-get pool-result-timeout pool-waits-for-result queue-full queue-get-timeout queue-get-waits run-stalled attribute-left-out pickled-code-mismatch sklearn-version-differs torch-load-not-a-checkpoint torch-weights-only unpickle-corrupt unpickle-forbidden-global unpickle-method-name unpickle-missing-attribute unpickle-missing-module unpickle-not-a-class unpickle-private-method unpickle-protocol unpickle-ran-out-of-input unpickle-rebuild-failed'
end
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -f -a "(__fish_pickfix_ids)"
