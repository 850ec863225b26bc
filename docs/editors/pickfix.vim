" The failures of a log in Vim's list of errors: copy this to ~/.vim/compiler/pickfix.vim, then
"   :compiler pickfix
"   :make train.log
" and :cnext goes from one to the next, to the line of your program.
if exists("current_compiler")
  finish
endif
let current_compiler = "pickfix"

CompilerSet makeprg=pickfix\ check\ --format\ gnu\ --exit-zero
CompilerSet errorformat=%f:%l:\ %trror:\ %m,%f:%l:\ %tarning:\ %m,%f:%l:\ %tote:\ %m
